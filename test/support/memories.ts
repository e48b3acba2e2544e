// Stores for tests: one that waits and can fail, and one that records its calls.

import { createInMemoryRuntimeMemory } from "../../src/core/memory/memory.js";
import type { RuntimeMemory } from "../../src/core/model/memory.js";

type Method = "get" | "set" | "delete" | "keys" | "clear";

/** An in-memory store. It awaits `before` before each call, and `before` may throw instead. */
export function watchedMemory(
  before: (method: Method, scope: string, key: string | undefined) => unknown,
  store: RuntimeMemory = createInMemoryRuntimeMemory(),
): RuntimeMemory {
  const after = async <T>(
    method: Method,
    scope: string,
    key: string | undefined,
    work: () => T,
  ): Promise<Awaited<T>> => {
    await before(method, scope, key);
    return await work();
  };
  return {
    get: (scope, key) => after("get", scope, key, () => store.get(scope, key)),
    set: (scope, key, value) => after("set", scope, key, () => store.set(scope, key, value)),
    delete: (scope, key) => after("delete", scope, key, () => store.delete(scope, key)),
    keys: (scope) => after("keys", scope, undefined, () => store.keys(scope)),
    clear: (scope) => after("clear", scope, undefined, () => store.clear(scope)),
  };
}
