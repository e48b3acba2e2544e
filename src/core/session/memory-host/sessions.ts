// Snapshots of sessions in memory.

import { MAX_STORED_SESSIONS } from "../../limits.js";
import { systemPorts } from "../../ports.js";
import type { SessionStore } from "../ports/session-store.js";
import { openDesk, type Desk } from "./desk.js";
import { assertObjects, assertStoreId, ownStoredValue, storeFailed } from "../../canon/stored-value.js";

export function createSessions({ tables, call }: Desk): Required<SessionStore> {
  const { sessions } = tables;
  return {
    load: (key) =>
      call(() => {
        assertStoreId("key", key);
        return sessions.get(key) ?? null;
      }),
    commit: (key, next, options) =>
      call((changes) => {
        assertObjects("commit(key, { state }, { expectedVersion })", next, options);
        const { expectedVersion } = options;
        assertStoreId("key", key);
        const present = sessions.get(key);
        if ((present?.version ?? null) !== expectedVersion) return { ok: false, reason: "conflict" };
        if (present === undefined && sessions.size >= MAX_STORED_SESSIONS) {
          throw storeFailed(
            `the in-memory store has reached its limit of ${MAX_STORED_SESSIONS} sessions`,
            "Delete sessions, or keep them in a folder or a database.",
          );
        }
        const state = ownStoredValue(`the state of session ${JSON.stringify(key)}`, next.state);
        const version = String(++tables.counter);
        changes.put(sessions, key, Object.freeze({ state, version }));
        return { ok: true, version };
      }),
    delete: (key) =>
      call((changes) => {
        assertStoreId("key", key);
        changes.remove(sessions, key);
      }),
    version: (key) =>
      call(() => {
        assertStoreId("key", key);
        return sessions.get(key)?.version ?? null;
      }),
  };
}

/** Keeps sessions until the process ends. It is the default store of an agent. Returned values are frozen. */
export class MemorySessionStore implements SessionStore {
  readonly #sessions = createSessions(openDesk(systemPorts, () => undefined));

  load(key: string) {
    return this.#sessions.load(key);
  }

  commit(...call: Parameters<SessionStore["commit"]>): ReturnType<SessionStore["commit"]> {
    return this.#sessions.commit(...call);
  }

  delete(key: string) {
    return this.#sessions.delete(key);
  }

  version(key: string) {
    return this.#sessions.version(key);
  }
}
