// What agents keep beside their conversations: JSON values by scope and key. A store is handed in by the caller; the run gives
// tools and verbs a view of it in which only three scopes have a name.

import type { JsonValue } from "../canon/value.js";

type Maybe<T> = T | Promise<T>;

/**
 * A key-value store. Scopes are any text; the runtime uses `agent:{id}`, `shared:{runId}` and `global`.
 *
 * Contract: values are plain JSON, and what is read is equal to what was written and shares nothing with it; a key that was
 * never written, or was deleted, reads as undefined; `keys` are sorted by code unit; one call is atomic. An adapter refuses
 * what it cannot keep by an `AgentError`, and the value it held before stays.
 */
export interface RuntimeMemory {
  get(scope: string, key: string): Maybe<JsonValue | undefined>;
  set(scope: string, key: string, value: JsonValue): Maybe<void>;
  /** True when there was such a key. */
  delete(scope: string, key: string): Maybe<boolean>;
  keys(scope: string): Maybe<string[]>;
  /** Forgets a whole scope. */
  clear(scope: string): Maybe<void>;
  /** Called by whoever made the store; a runtime does not own the one it was given. */
  close?(): Maybe<void>;
}

/**
 * `agent`: this agent's own, kept as long as the store is. `shared`: all agents of this run, forgotten at its end. `global`:
 * every run on this store.
 */
export type MemoryScope = "agent" | "shared" | "global";

/** The memory as one agent of one run sees it. */
export interface RunMemory {
  get(scope: MemoryScope, key: string): Promise<JsonValue | undefined>;
  set(scope: MemoryScope, key: string, value: JsonValue): Promise<void>;
  delete(scope: MemoryScope, key: string): Promise<boolean>;
  keys(scope: MemoryScope): Promise<string[]>;
}
