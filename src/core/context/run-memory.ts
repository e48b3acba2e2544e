// What one run holds of a store: a view for each agent, and the scope that the agents share, which ends with the run.

import { setOwn, type JsonValue } from "../canon/value.js";
import { AgentError } from "../errors.js";
import type { MemoryScope, RunMemory, RuntimeMemory } from "../model/memory.js";
import { assertNotAborted } from "../tools/call.js";

/** How long the end of a run, and `destroy`, wait for a memory that is late with forgetting what was shared. Milliseconds. */
export const MEMORY_GRACE_MS = 5_000;

/** How long a run waits for its memory to read or write. Milliseconds. */
export const MEMORY_TIMEOUT_MS = 30_000;

/** A run's hold on a store. What the store throws passes through unchanged. */
export interface RunScope {
  /** The memory as the agent `agentId` sees it. */
  viewOf(agentId: string): RunMemory;
  /** Writes to what the run shares. */
  share(key: string, value: JsonValue): Promise<void>;
  /** All that the run shares now. Asks the store nothing more, and rejects with `aborted`, once `signal` has fired. */
  readonly readShared: (signal: AbortSignal) => Promise<Record<string, JsonValue>>;
  /** Closes what is shared, waits for the writes to it that have begun, and forgets it. Later calls give the first one's promise. */
  readonly forget: () => Promise<void>;
}

type Door = Omit<RuntimeMemory, "clear" | "close">;

export function openRunScope(store: RuntimeMemory, runId: string): RunScope {
  const scope = `shared:${runId}`;
  const writes = new Set<Promise<unknown>>();
  let forgetting: Promise<void> | undefined;

  /** A write that the store is late with must not land behind the end of the scope. */
  const track = async <T>(write: T | Promise<T>): Promise<T> => {
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
  const forget = async () => {
    while (writes.size > 0) await Promise.all(writes);
    await store.clear(scope);
  };

  return {
    viewOf: (agentId) =>
      viewMemory((name) => {
        if (name !== "shared") return { door: store, scope: name === "agent" ? `agent:${agentId}` : name };
        if (forgetting === undefined) return { door: shared, scope };
        throw new AgentError("aborted", "the run is over, and what its agents shared is forgotten", {
          hint: "Await what a tool does with the memory, or use the scope agent or global.",
        });
      }),
    share: async (key, value) => shared.set(scope, key, value),
    async readShared(signal) {
      const result: Record<string, JsonValue> = {};
      for (const key of await store.keys(scope)) {
        assertNotAborted(signal);
        const value = await store.get(scope, key);
        if (value !== undefined) setOwn(result, key, value);
      }
      return result;
    },
    forget: () => (forgetting ??= forget()),
  };
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
  throw new AgentError("invalid-options", `the memory has no scope ${JSON.stringify(name)}`, {
    hint: "The scopes are agent, shared and global.",
  });
}

function checkedKey(key: unknown): string {
  if (typeof key === "string" && key.isWellFormed()) return key;
  throw new AgentError("invalid-options", `the memory was given the key ${JSON.stringify(key)}`, {
    hint: "A key is text without lone surrogates.",
  });
}
