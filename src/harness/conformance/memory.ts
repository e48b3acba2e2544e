// The contract of RuntimeMemory (see its comment) as cases for any test runner, so that a store of one's own can be held to it:
//
//   for (const { name, run } of memoryConformance(openMyStore)) test(name, run);
//
// What it does not see: whether a store outlives its process, and how it fails when its disk or its network does.

import type { RuntimeMemory } from "../../core/index.js";
import { valueCases } from "./memory-values.js";
import { walkCases } from "./memory-walk.js";
import { assertSame, type ConformanceCase, type MemoryCheck } from "./verdict.js";

/**
 * The cases for the store that `open` gives: a new and empty one at each call. Each case closes its store. The names of the cases
 * are part of no promise, and later versions may add some.
 */
export function memoryConformance(open: () => Promise<RuntimeMemory>): ConformanceCase[] {
  const checks: Record<string, MemoryCheck> = { ...keyCases, ...valueCases, ...scopeCases, ...walkCases };
  return Object.entries(checks).map(([name, check]) => ({ name, run: () => runCase(open, check) }));
}

async function runCase(open: () => Promise<RuntimeMemory>, check: MemoryCheck): Promise<void> {
  const memory = await open();
  try {
    await check(memory);
  } finally {
    await memory.close?.();
  }
}

/** In the order of their code units, where no other order agrees: of code points, of a locale, of numbers. */
const SORTED = ["", "\0", " a", "10", "9", "B", "__proto__", "a", "a\0", "a b", "a:b", "b", "e\u0301", "z", "é"];
const SORTED_ABOVE = ["\u{1f600}", "\u{1f601}", "\ufeffa", "\uffee"];

const keyCases: Record<string, MemoryCheck> = {
  async "reads what was never written as undefined, and forgets nothing by that"(memory) {
    assertSame("get", await memory.get("s", "k"), undefined);
    assertSame("delete", await memory.delete("s", "k"), false);
    assertSame("keys", await memory.keys("s"), []);
    await memory.clear("s");
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      assertSame(`get ${name}`, await memory.get("s", name), undefined);
      assertSame(`get in scope ${name}`, await memory.get(name, "k"), undefined);
      assertSame(`keys of scope ${name}`, await memory.keys(name), []);
    }
  },

  async "takes a new value in place of the old one, whole"(memory) {
    await memory.set("s", "k", { a: 1, b: { c: 2 } });
    await memory.set("s", "k", { b: { d: 3 } });
    assertSame("get", await memory.get("s", "k"), { b: { d: 3 } });
    assertSame("keys", await memory.keys("s"), ["k"]);
  },

  async "keeps null, which is not the same as nothing"(memory) {
    await memory.set("s", "k", null);
    assertSame("get", await memory.get("s", "k"), null);
    assertSame("keys", await memory.keys("s"), ["k"]);
    assertSame("delete", await memory.delete("s", "k"), true);
  },

  async "deletes one key, once"(memory) {
    await memory.set("s", "a", 1);
    await memory.set("s", "b", 2);
    assertSame("delete", await memory.delete("s", "a"), true);
    assertSame("get of the deleted", await memory.get("s", "a"), undefined);
    assertSame("delete again", await memory.delete("s", "a"), false);
    assertSame("get of the other", await memory.get("s", "b"), 2);
    assertSame("keys", await memory.keys("s"), ["b"]);
    await memory.set("s", "a", 3);
    assertSame("get after a new set", await memory.get("s", "a"), 3);
  },

  async "sorts keys by code unit"(memory) {
    const sorted = [...SORTED, ...SORTED_ABOVE];
    for (const key of [...sorted].reverse()) await memory.set("s", key, key);
    assertSame("keys", await memory.keys("s"), sorted);
  },

  async "keeps keys apart that only look alike"(memory) {
    const keys = ["é", "e\u0301", "É", "a", "A", "a ", "a\0", "a\0b", "1", "01", "1.0", "ſ", "s", "\ufeffa", "ﬁ", "fi"];
    for (const key of keys) await memory.set("s", key, `value of ${key}`);
    for (const key of keys) assertSame(`get ${key}`, await memory.get("s", key), `value of ${key}`);
  },

  async "keeps keys that are no well-formed text apart, or refuses them"(memory) {
    const keys = ["\ud800", "\udbff", "\udc00", "\ufffd"];
    const kept: string[] = [];
    for (const key of keys) {
      const wasKept = await Promise.resolve()
        .then(() => memory.set("s", key, key.charCodeAt(0)))
        .then(
          () => true,
          () => false,
        );
      if (wasKept) kept.push(key);
    }
    for (const key of kept) {
      assertSame(`get of code unit ${key.charCodeAt(0)}`, await memory.get("s", key), key.charCodeAt(0));
    }
    assertSame("how many there are", (await memory.keys("s")).length, kept.length);
  },

  async "gives a list of keys that is the caller's own"(memory) {
    await memory.set("s", "k", 1);
    (await memory.keys("s")).push("x");
    assertSame("keys", await memory.keys("s"), ["k"]);
  },
};

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
  ["__proto__", "k"],
  ["constructor", "prototype"],
  ["'; DROP TABLE memory; --", "k"],
];

const scopeCases: Record<string, MemoryCheck> = {
  async "keeps scopes apart, whatever their names"(memory) {
    for (const [index, [scope, key]] of PAIRS.entries()) await memory.set(scope, key, index);
    for (const [index, [scope, key]] of PAIRS.entries()) {
      assertSame(`get ${key} of ${scope}`, await memory.get(scope, key), index);
      assertSame(`keys of ${scope}`, await memory.keys(scope), keysOf(scope));
    }
  },

  async "clears one scope alone"(memory) {
    for (const cleared of new Set(PAIRS.map(([scope]) => scope))) {
      for (const [index, [scope, key]] of PAIRS.entries()) await memory.set(scope, key, index);
      await memory.clear(cleared);
      for (const scope of new Set(PAIRS.map(([name]) => name))) {
        const expected = scope === cleared ? [] : keysOf(scope);
        assertSame(`keys of ${scope} after clearing ${cleared}`, await memory.keys(scope), expected);
      }
    }
  },

  async "deletes in one scope alone"(memory) {
    for (const [index, [scope, key]] of PAIRS.entries()) await memory.set(scope, key, index);
    for (const [index, [scope, key]] of PAIRS.entries()) {
      assertSame(`delete ${key} of ${scope}`, await memory.delete(scope, key), true);
      for (const [later, [otherScope, otherKey]] of [...PAIRS.entries()].slice(index + 1)) {
        assertSame(`get ${otherKey} of ${otherScope}`, await memory.get(otherScope, otherKey), later);
      }
    }
  },
};

function keysOf(scope: string): string[] {
  return PAIRS.filter(([name]) => name === scope)
    .map(([, key]) => key)
    .sort();
}
