// The sessions that this process has read or stored last.

import { EMPTY_STATE, readSnapshot } from "../../state/snapshot.js";
import type { Claimed, KnownSession } from "./claim.js";

export class KnownSessions {
  readonly #known = new Map<string, KnownSession>();

  get(sessionKey: string): KnownSession | undefined {
    return this.#known.get(sessionKey);
  }

  /** Undefined: it has to be read again. */
  set(sessionKey: string, known: KnownSession | undefined): void {
    if (known === undefined) this.#known.delete(sessionKey);
    else this.#known.set(sessionKey, known);
  }

  /** The session of a run that was claimed. */
  of({ record: { sessionKey }, session, state: { base } }: Claimed): KnownSession {
    if (session === undefined) return this.#known.get(sessionKey) ?? { state: EMPTY_STATE, version: base };
    const read =
      session === null
        ? { state: EMPTY_STATE, version: null }
        : { state: readSnapshot(session.state), version: session.version };
    this.#known.set(sessionKey, read);
    return read;
  }
}
