// Memory that lives as long as the process, and the view of a store that one agent of one run gets.

import { copyJson } from "../canon/copy.js";
import type { JsonValue } from "../canon/value.js";
import type { MemoryScope, RunMemory, RuntimeMemory } from "../model/memory.js";

/** The default store: maps in this process, nothing on disk. Throws `AgentError` `not-json` for a value that is not plain JSON. */
export function createInMemoryRuntimeMemory(): RuntimeMemory {
  const scopes = new Map<string, Map<string, JsonValue>>();
  return {
    get(scope, key) {
      const value = scopes.get(scope)?.get(key);
      return value === undefined ? undefined : copyJson(value);
    },
    set(scope, key, value) {
      const own = copyJson(value);
      const entries = scopes.get(scope) ?? new Map<string, JsonValue>();
      scopes.set(scope, entries.set(key, own));
    },
    delete: (scope, key) => scopes.get(scope)?.delete(key) ?? false,
    keys: (scope) => [...(scopes.get(scope)?.keys() ?? [])].sort(),
    clear: (scope) => void scopes.delete(scope),
  };
}

/** The store's name for what all agents of one run share. */
export function sharedScope(runId: string): string {
  return `shared:${runId}`;
}

/** `memory` as the agent `agentId` of the run `runId` sees it. */
export function bindMemory(memory: RuntimeMemory, runId: string, agentId: string): RunMemory {
  const names: Readonly<Record<MemoryScope, string>> = {
    agent: `agent:${agentId}`,
    shared: sharedScope(runId),
    global: "global",
  };
  return {
    get: async (scope, key) => memory.get(names[scope], key),
    set: async (scope, key, value) => memory.set(names[scope], key, value),
    delete: async (scope, key) => memory.delete(names[scope], key),
    keys: async (scope) => memory.keys(names[scope]),
  };
}
