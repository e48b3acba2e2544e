// What one run holds of a store: a view for each agent, and the scope that the agents share, which ends with the run.

import { setOwn, type JsonValue } from "../canon/value.js";
import { AgentError, invalidOptions } from "../errors.js";
import type { MemoryScope, RunMemory, RuntimeMemory } from "../model/memory.js";
import { isThenable } from "../time/wait.js";
import { assertNotAborted } from "../tools/deadline.js";

/** How long the end of a run, and `destroy`, wait for a memory that is late with forgetting what was shared. Milliseconds. */
export const MEMORY_GRACE_MS = 5_000;

/** How long a run waits for its memory to read or write. Milliseconds. */
export const MEMORY_TIMEOUT_MS = 30_000;

/** A run's hold on a store. What the store throws, or rejects with, passes through unchanged; what it gives at once is given at once. */
export interface RunScope {
  /** The memory as the agent `agentId` sees it. */
  viewOf(agentId: string): RunMemory;
  /** Writes to what the run shares. */
  share(key: string, value: JsonValue): Maybe<void>;
  /** All that the run shares now. Asks the store nothing more, and rejects with `aborted`, once `signal` has fired. */
  readonly readShared: (signal: AbortSignal) => Maybe<Record<string, JsonValue>>;
  /** Closes what is shared, waits for the writes to it that have begun, and forgets it. Later calls give the first one's promise. */
  readonly forget: () => Maybe<void>;
}

type Maybe<T> = T | Promise<T>;
type Door = Omit<RuntimeMemory, "clear" | "close">;

export function openRunScope(store: RuntimeMemory, runId: string): RunScope {
  const scope = `shared:${runId}`;
  const writes = new Set<Promise<unknown>>();
  let forgetting: Promise<void> | undefined;
  let isOver = false;

  /** A write that the store is late with must not land behind the end of the scope. */
  const track = <T>(write: Maybe<T>): Maybe<T> => {
    if (!isLate(write)) return write;
    const settled = Promise.resolve(write).then(
      () => void writes.delete(settled),
      () => void writes.delete(settled),
    );
    writes.add(settled);
    return write;
  };
  const shared: Door = {
    get: (_name, key) => store.get(scope, key),
    set: (_name, key, value) => track(store.set(scope, key, value)),
    delete: (_name, key) => track(store.delete(scope, key)),
    keys: () => store.keys(scope),
  };
  const forget = (): void | Promise<void> => {
    if (forgetting !== undefined || isOver) return forgetting;
    isOver = true;
    return (forgetting = writes.size > 0 ? forgetLate() : asPromise(() => store.clear(scope)));
  };
  const forgetLate = async () => {
    while (writes.size > 0) await Promise.all(writes);
    await store.clear(scope);
  };

  return {
    viewOf: (agentId) =>
      viewMemory((name) => {
        if (name !== "shared") return { door: store, scope: name === "agent" ? `agent:${agentId}` : name };
        if (!isOver) return { door: shared, scope };
        throw new AgentError("aborted", "the run is over, and what its agents shared is forgotten", {
          hint: "Await what a tool does with the memory, or use the scope agent or global.",
        });
      }),
    share: (key, value) => shared.set(scope, key, value),
    readShared(signal) {
      const keys = store.keys(scope);
      const read = (list: string[]) => readAll(store, scope, list, signal);
      return isLate(keys) ? keys.then(read) : read(keys);
    },
    forget,
  };
}

/** Key after key; at once where the store answers at once, so that a run which shared a word waits for nothing. */
function readAll(
  store: RuntimeMemory,
  scope: string,
  keys: readonly string[],
  signal: AbortSignal,
): Maybe<Record<string, JsonValue>> {
  const result: Record<string, JsonValue> = {};
  const keep = (key: string, value: JsonValue | undefined) => {
    if (value !== undefined) setOwn(result, key, value);
  };
  const readFrom = (at: number): Maybe<Record<string, JsonValue>> => {
    for (const [ahead, key] of keys.slice(at).entries()) {
      assertNotAborted(signal);
      const value = store.get(scope, key);
      if (isLate(value)) {
        return value.then((late) => {
          keep(key, late);
          return readFrom(at + ahead + 1);
        });
      }
      keep(key, value);
    }
    return result;
  };
  return readFrom(0);
}

/** What was done at once is done; what failed at once is a promise that rejects, for everybody who asks. */
function asPromise(work: () => Maybe<void>): Promise<void> | undefined {
  try {
    const done = work();
    return isLate(done) ? done : undefined;
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- As the store throws.
    return Promise.reject(error);
  }
}

function isLate<T>(value: Maybe<T>): value is Promise<T> {
  return isThenable(value);
}

/** A view outside any run. What it calls `agent` and `shared` belongs to no agent and no run, and is kept as long as the store is. */
export function viewOutsideRuns(store: RuntimeMemory): RunMemory {
  const names = { agent: "agent:", shared: "shared:", global: "global" } as const;
  return viewMemory((name) => ({ door: store, scope: names[name] }));
}

function viewMemory(find: (name: MemoryScope) => { door: Door; scope: string }): RunMemory {
  const open = (name: MemoryScope) => {
    assertScope(name);
    return find(name);
  };
  return {
    async get(name, key) {
      const { door, scope } = open(name);
      return door.get(scope, checkedKey(key));
    },
    async set(name, key, value) {
      const { door, scope } = open(name);
      return door.set(scope, checkedKey(key), value);
    },
    async delete(name, key) {
      const { door, scope } = open(name);
      return door.delete(scope, checkedKey(key));
    },
    async keys(name) {
      const { door, scope } = open(name);
      return door.keys(scope);
    },
  };
}

/** Names may come from a model's arguments, and a name that is none must not reach the store as one. */
function assertScope(name: unknown): void {
  if (name === "agent" || name === "shared" || name === "global") return;
  throw invalidOptions(`the memory has no scope ${JSON.stringify(name)}`, "The scopes are agent, shared and global.");
}

function checkedKey(key: unknown): string {
  if (typeof key === "string" && key.isWellFormed()) return key;
  throw invalidOptions(`the memory was given the key ${JSON.stringify(key)}`, "A key is text without lone surrogates.");
}
