// Cases about scopes: what is in one is in no other, whatever they are called.

import type { RuntimeMemory } from "../../../core/index.js";
import { assertSame, toClauses, type Clause } from "../../contract/clause.js";

const BY_BOTH =
  "Find an entry by scope and key as two separate values, whole and unchanged, not by one text made of both.";

/** Scopes with keys that one text made of both would confuse, and patterns that would match the others. */
const PAIRS: readonly (readonly [scope: string, key: string])[] = [
  ["", ""],
  ["", ":"],
  [":", ""],
  ["a", "b:c"],
  ["a:b", "c"],
  ["a:b:", "c"],
  ["a", ":b:c"],
  ["a", "b"],
  ["A", "b"],
  ["a ", "b"],
  ["a/b", "c"],
  ["a\0b", "c"],
  ["a", "\0b\0c"],
  ["agent:ann", "k"],
  ["agent", "ann:k"],
  ["%", "k"],
  ["*", "k"],
  ["_", "k"],
  ["a%", "k"],
  ["é", "k"],
  ["e\u0301", "k"],
  ["\u{1f600}", "k"],
  ["__proto__", "k"],
  ["constructor", "prototype"],
  ["'; DROP TABLE memory; --", "k"],
];

export const scopeClauses: readonly Clause<RuntimeMemory>[] = toClauses({
  "keeps scopes apart, whatever their names": {
    advice: BY_BOTH,
    async check(memory) {
      for (const [index, [scope, key]] of PAIRS.entries()) await memory.set(scope, key, index);
      for (const [index, [scope, key]] of PAIRS.entries()) {
        assertSame(`get ${key} of ${scope}`, await memory.get(scope, key), index);
        assertSame(`keys of ${scope}`, await memory.keys(scope), keysOf(scope));
      }
    },
  },

  "clears one scope alone": {
    advice: BY_BOTH,
    async check(memory) {
      for (const cleared of new Set(PAIRS.map(([scope]) => scope))) {
        for (const [index, [scope, key]] of PAIRS.entries()) await memory.set(scope, key, index);
        await memory.clear(cleared);
        for (const scope of new Set(PAIRS.map(([name]) => name))) {
          const expected = scope === cleared ? [] : keysOf(scope);
          assertSame(`keys of ${scope} after clearing ${cleared}`, await memory.keys(scope), expected);
        }
      }
    },
  },

  "deletes in one scope alone": {
    advice: BY_BOTH,
    async check(memory) {
      for (const [index, [scope, key]] of PAIRS.entries()) await memory.set(scope, key, index);
      for (const [index, [scope, key]] of PAIRS.entries()) {
        assertSame(`delete ${key} of ${scope}`, await memory.delete(scope, key), true);
        for (const [later, [otherScope, otherKey]] of [...PAIRS.entries()].slice(index + 1)) {
          assertSame(`get ${otherKey} of ${otherScope}`, await memory.get(otherScope, otherKey), later);
        }
      }
    },
  },
});

function keysOf(scope: string): string[] {
  return PAIRS.filter(([name]) => name === scope)
    .map(([, key]) => key)
    .sort();
}
