// The memory of agents: JSON values by scope and key. The caller passes a store; tools and verbs get a view of it with three scopes.

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
  /** True if the key was there. */
  delete(scope: string, key: string): Maybe<boolean>;
  keys(scope: string): Maybe<string[]>;
  /** Forgets a whole scope. */
  clear(scope: string): Maybe<void>;
  /** Called by whoever made the store. A runtime does not own the store it was given. */
  close?(): Maybe<void>;
}

/** `agent`: this agent, for as long as the store lasts. `shared`: all agents of this run, until its end. `global`: all runs. */
export type MemoryScope = "agent" | "shared" | "global";

/** The memory as one agent of one run sees it. */
export interface RunMemory {
  get(scope: MemoryScope, key: string): Promise<JsonValue | undefined>;
  set(scope: MemoryScope, key: string, value: JsonValue): Promise<void>;
  delete(scope: MemoryScope, key: string): Promise<boolean>;
  keys(scope: MemoryScope): Promise<string[]>;
}
