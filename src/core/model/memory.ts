// The memory of agents: JSON values by scope and key. The caller passes a store. Tools and verbs get a view of it with three scopes.

import type { JsonValue } from "../canon/value.js";

type Maybe<T> = T | Promise<T>;

/**
 * A key-value store for agents. A scope can be any text. The runtime uses `agent:{id}`, `shared:{runId}` and `global`.
 *
 * Contract: values are plain JSON. A read returns a copy equal to the written value. A key that was never written, or was deleted, reads
 * as undefined. `keys` are sorted by code unit. Each call is atomic. If an adapter cannot store a value, it throws an `AgentError` and
 * keeps the previous value.
 */
export interface RuntimeMemory {
  get(scope: string, key: string): Maybe<JsonValue | undefined>;
  set(scope: string, key: string, value: JsonValue): Maybe<void>;
  /** True if the key was there. */
  delete(scope: string, key: string): Maybe<boolean>;
  keys(scope: string): Maybe<string[]>;
  /** Deletes all keys of a scope. */
  clear(scope: string): Maybe<void>;
  /** Closes the store. Only its creator calls this: a runtime does not own the store that it receives. */
  close?(): Maybe<void>;
}

/** `agent`: this agent, for as long as the store lasts. `shared`: all agents of this run, until its end. `global`: all runs. */
export type MemoryScope = "agent" | "shared" | "global";

/** The view that one agent of one run has of the memory. */
export interface RunMemory {
  get(scope: MemoryScope, key: string): Promise<JsonValue | undefined>;
  set(scope: MemoryScope, key: string, value: JsonValue): Promise<void>;
  delete(scope: MemoryScope, key: string): Promise<boolean>;
  keys(scope: MemoryScope): Promise<string[]>;
}
