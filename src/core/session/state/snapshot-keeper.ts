// Keeps sessions as snapshots in a store, with one commit for each turn. A running turn does not outlive its process.

import { AgentError } from "../../errors.js";
import type { Ports } from "../../ports.js";
import type { SessionStore } from "../ports/session-store.js";
import { askStore, wrongAnswer } from "./ask-store.js";
import type { BegunTurn, KeptRun, RunKeeper, TurnEnd } from "./keeper.js";
import { EMPTY_STATE, readSnapshot, toSnapshot, type SessionState } from "./snapshot.js";

/** A session whose state was loaded. */
interface Known {
  state: SessionState;
  /** Null: the store has no such key. */
  version: string | null;
}

export class SnapshotKeeper implements RunKeeper {
  readonly #store: SessionStore;
  readonly #ports: Pick<Ports, "timer">;
  readonly #known = new Map<string, Known>();

  constructor(store: SessionStore, ports: Pick<Ports, "timer">) {
    this.#store = store;
    this.#ports = ports;
  }

  async begin({ sessionKey }: KeptRun): Promise<BegunTurn> {
    return { state: await this.read(sessionKey) };
  }

  async read(sessionKey: string): Promise<SessionState> {
    const known = this.#known.get(sessionKey);
    if (known !== undefined && (await this.#isCurrent(sessionKey, known))) return known.state;
    const loaded = await this.#ask("load", () => this.#store.load(sessionKey));
    if (typeof loaded !== "object") throw wrongAnswer("load", loaded, "null, or { state, version }");
    const state = loaded === null ? EMPTY_STATE : readSnapshot(loaded.state);
    this.#known.set(sessionKey, { state, version: loaded === null ? null : readVersion(loaded.version) });
    return state;
  }

  async end({ sessionKey }: KeptRun, { ending, state }: TurnEnd): Promise<"kept" | "conflict"> {
    const known = this.#known.get(sessionKey);
    if (known === undefined || state === undefined) return "kept";
    // A failed turn leaves only its count, which is not worth a write.
    if (ending.status === "error") known.state = state;
    else {
      const { version: expectedVersion } = known;
      const next = { state: toSnapshot(state) };
      // Unless the write is known to have happened, the state is read again.
      this.drop(sessionKey);
      const done = await this.#ask("commit", () => this.#store.commit(sessionKey, next, { expectedVersion }));
      if (typeof (done as typeof done | null | undefined)?.ok !== "boolean")
        throw wrongAnswer("commit", done, '{ ok: true, version }, or { ok: false, reason: "conflict" }');
      if (!done.ok) return "conflict";
      this.#known.set(sessionKey, { state, version: readVersion(done.version) });
    }
    return "kept";
  }

  cancel(): void {}

  async remove(sessionKey: string): Promise<void> {
    this.drop(sessionKey);
    await this.#ask("delete", () => this.#store.delete(sessionKey));
  }

  drop(sessionKey: string): void {
    this.#known.delete(sessionKey);
  }

  async #isCurrent(sessionKey: string, known: Known): Promise<boolean> {
    if (this.#store.version === undefined) return true;
    return (await this.#ask("version", () => this.#store.version?.(sessionKey))) === known.version;
  }

  #ask<T>(method: string, call: () => Promise<T> | T): Promise<T> {
    return askStore(this.#ports, method, call);
  }
}

function readVersion(version: unknown): string {
  if (typeof version === "string" && version !== "") return version;
  throw new AgentError("store-failed", "the session store returned a session without a version", {
    hint: "load and commit of a SessionStore must return the version of the state.",
  });
}
