// Cases about scopes: an entry belongs to only one scope, whatever the names.

import type { RuntimeMemory } from "../../../core/index.js";
import { assertSame, toClauses, type Clause } from "../../contract/clause.js";

const BY_BOTH = "Look up an entry by scope and key as two separate, unchanged values, not by a text that joins both.";

/** Scopes and keys that are confused when joined to one text, and patterns that would match other scopes. */
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
  "keeps scopes separate, with any names": {
    advice: BY_BOTH,
    async check(memory) {
      for (const [index, [scope, key]] of PAIRS.entries()) await memory.set(scope, key, index);
      for (const [index, [scope, key]] of PAIRS.entries()) {
        assertSame(`get ${key} of ${scope}`, await memory.get(scope, key), index);
        assertSame(`keys of ${scope}`, await memory.keys(scope), keysOf(scope));
      }
    },
  },
  "clears only one scope": {
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
  "deletes in only one scope": {
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
