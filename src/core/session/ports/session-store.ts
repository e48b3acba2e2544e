// The store of session snapshots. A host implements it. `sessionStoreConformance` of playhead/harness checks its contract.

import type { JsonValue } from "../../canon/value.js";

/** A refusal that the caller handles. `record` is the current record, if there is one. */
export interface Refused<Reason extends string, Kept = never> {
  readonly ok: false;
  readonly reason: Reason;
  readonly record?: Kept;
}

/** A stored snapshot. `state` is opaque to the store. `version` identifies exactly this state of this key. */
export interface StoredSession {
  readonly state: JsonValue;
  readonly version: string;
}

/**
 * Snapshots of sessions by key.
 *
 * Contract of every port: methods take and return copies of plain JSON. Refusals are values. Every other failure, including a call after
 * `close`, rejects with `AgentError` `store-failed`, which is retryable if the same call may succeed later. When a promise resolves, its
 * write is as durable as the engine guarantees. Reads see all earlier writes of the same key. Ids and keys have 1 to 1,024 UTF-16 units
 * and are compared exactly. A value has at most 8 MiB of canonical JSON.
 */
export interface SessionStore {
  load(key: string): Promise<StoredSession | null>;
  /** Stores `state` if the version is still `expectedVersion` (null: no such key). A version is never used twice for a key. */
  commit(
    key: string,
    next: { readonly state: JsonValue },
    options: { readonly expectedVersion: string | null },
  ): Promise<{ readonly ok: true; readonly version: string } | Refused<"conflict">>;
  delete(key: string): Promise<void>;
  /** The current version, or null if there is no such key. Required for a store that several processes share. */
  version?(key: string): Promise<string | null>;
}
