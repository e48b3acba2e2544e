// The context of a call under check: a signal, verbs without bodies, and a memory of its own.

import { createInMemoryRuntimeMemory, createPluck, type CustomToolContext } from "../../core/index.js";

/** A context for one call; `given` replaces parts of it. */
export function toolContext(signal: AbortSignal, given: Partial<CustomToolContext> = {}): CustomToolContext {
  const store = createInMemoryRuntimeMemory();
  return {
    signal,
    agentId: "check",
    pluck: createPluck(),
    memory: {
      get: async (scope, key) => store.get(scope, key),
      set: async (scope, key, value) => store.set(scope, key, value),
      delete: async (scope, key) => store.delete(scope, key),
      keys: async (scope) => store.keys(scope),
    },
    ...given,
  };
}
