// The memory of one run: a view for each agent, and the scope that the agents share, which ends with the run.

import { setOwn, type JsonValue } from "../canon/value.js";
import { AgentError, invalidOptions } from "../errors.js";
import type { MemoryScope, RunMemory, RuntimeMemory } from "../model/memory.js";
import { isThenable } from "../time/wait.js";
import { assertNotAborted } from "../tools/abort.js";

/** A run's part of a store. Errors of the store pass through unchanged, and synchronous results stay synchronous. */
export interface RunScope {
  viewOf(agentId: string): RunMemory;
  share(key: string, value: JsonValue): Maybe<void>;
  /** Reads the whole shared scope. Once `signal` has fired, it stops reading and rejects with `aborted`. */
  readonly readShared: (signal: AbortSignal) => Maybe<Record<string, JsonValue>>;
  /** Closes the shared scope, waits for writes that have begun, and clears it. Later calls return the first one's promise. */
  readonly forget: () => Maybe<void>;
}

type Maybe<T> = T | Promise<T>;
type Door = Omit<RuntimeMemory, "clear" | "close">;

export function openRunScope(store: RuntimeMemory, runId: string): RunScope {
  const scope = `shared:${runId}`;
  const writes = new Set<Promise<unknown>>();
  let forgetting: Promise<void> | undefined;
  let isOver = false;

  /** Tracks a slow write, which must not land after the end of the scope. */
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
        throw new AgentError("aborted", "the run is over, so the memory that its agents shared is gone", {
          hint: "In tools, await all calls of the memory, or use the scope agent or global.",
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

/** Reads key after key, synchronously if the store answers synchronously. */
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

/** Undefined for work that was done synchronously. A synchronous error becomes a rejected promise, for every caller. */
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

/** A view outside any run. Its `agent` and `shared` belong to no agent and no run, and last as long as the store. */
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

/** A name may come from a model's arguments, so a wrong one must not reach the store. */
function assertScope(name: unknown): void {
  if (name === "agent" || name === "shared" || name === "global") return;
  throw invalidOptions(`the memory has no scope ${JSON.stringify(name)}`, "The scopes are agent, shared and global.");
}

function checkedKey(key: unknown): string {
  if (typeof key === "string" && key.isWellFormed()) return key;
  throw invalidOptions(
    `the memory cannot use the key ${JSON.stringify(key)}`,
    "A key must be a string without lone surrogates.",
  );
}
