// Memory that lives as long as the process: the default store of a runtime.

import { copyJson } from "../canon/copy.js";
import type { JsonValue } from "../canon/value.js";
import { AgentError, invalidOptions } from "../errors.js";
import { MAX_MEMORY_CHARACTERS, MAX_MEMORY_KEYS } from "../limits.js";
import type { RuntimeMemory } from "../model/memory.js";
import { assertKnownOptions } from "../options.js";
import { showValue } from "../text/show.js";

/** The limits of {@link createInMemoryRuntimeMemory}. A write beyond one is refused. */
export interface InMemoryOptions {
  /** Default {@link MAX_MEMORY_KEYS}. */
  readonly maxKeys?: number;
  /** Default {@link MAX_MEMORY_CHARACTERS}. */
  readonly maxCharacters?: number;
}

interface Entry {
  readonly value: JsonValue;
  readonly characters: number;
}

/**
 * Creates the default store: maps in this process. `set` throws `AgentError`: `not-json` for a value that is not plain JSON, and
 * `memory-failed` beyond a limit. Throws `invalid-options`.
 */
export function createInMemoryRuntimeMemory(options: InMemoryOptions = {}): RuntimeMemory {
  assertKnownOptions("createInMemoryRuntimeMemory", options, ["maxKeys", "maxCharacters"]);
  const { maxKeys = MAX_MEMORY_KEYS, maxCharacters = MAX_MEMORY_CHARACTERS } = options;
  for (const [name, limit] of Object.entries({ maxKeys, maxCharacters })) {
    if (limit !== Infinity && !(Number.isSafeInteger(limit) && limit >= 0))
      throw invalidOptions(`${name} is ${showValue(limit)}`, "Pass a whole number of at least 0, or Infinity.");
  }
  const scopes = new Map<string, Map<string, Entry>>();
  let keys = 0;
  let characters = 0;

  const forget = (entry: Entry) => {
    keys -= 1;
    characters -= entry.characters;
  };

  return {
    get(scope, key) {
      const entry = scopes.get(scope)?.get(key);
      return entry === undefined ? undefined : copyJson(entry.value);
    },
    set(scope, key, value) {
      const own = copyJson(value);
      const size = scope.length + key.length + JSON.stringify(own).length;
      const old = scopes.get(scope)?.get(key);
      if (old === undefined && keys >= maxKeys) throw full(scope, key, `holds ${maxKeys} keys, its limit (maxKeys)`);
      if (characters - (old?.characters ?? 0) + size > maxCharacters) {
        throw full(scope, key, `would hold more than ${maxCharacters} characters, its limit (maxCharacters)`);
      }
      if (old !== undefined) forget(old);
      const entries = scopes.get(scope) ?? new Map<string, Entry>();
      scopes.set(scope, entries.set(key, { value: own, characters: size }));
      keys += 1;
      characters += size;
    },
    delete(scope, key) {
      const entries = scopes.get(scope);
      const entry = entries?.get(key);
      if (entries === undefined || entry === undefined) return false;
      forget(entry);
      entries.delete(key);
      if (entries.size === 0) scopes.delete(scope);
      return true;
    },
    keys: (scope) => [...(scopes.get(scope)?.keys() ?? [])].sort(),
    clear(scope) {
      scopes.get(scope)?.forEach(forget);
      scopes.delete(scope);
    },
  };
}

function full(scope: string, key: string, limit: string): AgentError {
  const place = `${JSON.stringify(key)} of the scope ${JSON.stringify(scope)}`;
  return new AgentError("memory-failed", `the memory cannot keep ${place}: it ${limit}`, {
    hint: "Delete what is no longer needed, or pass `memory` a store of your own.",
  });
}
