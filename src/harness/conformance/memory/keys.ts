// Cases about keys: they are listed in order, and different keys stay separate.

import { AgentError, type RuntimeMemory } from "../../../core/index.js";
import { describeThrown } from "../../contract/thrown.js";
import { assertSame, fail, toClauses, Violation, type Clause } from "../../contract/clause.js";

/** Sorted by code units, which differs from the order by code points, by a locale and by numbers. */
const SORTED = ["", "\0", " a", "10", "9", "B", "__proto__", "a", "a\0", "a b", "a:b", "b", "e\u0301", "z", "é"];
const SORTED_ABOVE = ["\u{1f600}", "\u{1f601}", "\ufeffa", "\uffee"];

export const keyClauses: readonly Clause<RuntimeMemory>[] = toClauses({
  "reads a missing key as undefined, without losing other entries": {
    advice: "Return undefined for a missing key, false for its delete, and [] for its keys. Keep entries in a Map.",
    async check(memory) {
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
  },
  "replaces the whole value with a new one": {
    advice: "Replace the value, without merging.",
    async check(memory) {
      await memory.set("s", "k", { a: 1, b: { c: 2 } });
      await memory.set("s", "k", { b: { d: 3 } });
      assertSame("get", await memory.get("s", "k"), { b: { d: 3 } });
      assertSame("keys", await memory.keys("s"), ["k"]);
    },
  },
  "keeps null as a value, different from no value": {
    advice: "Distinguish a key with the value null from a missing key.",
    async check(memory) {
      await memory.set("s", "k", null);
      assertSame("get", await memory.get("s", "k"), null);
      assertSame("keys", await memory.keys("s"), ["k"]);
      assertSame("delete", await memory.delete("s", "k"), true);
    },
  },
  "deletes one key, once": {
    advice: "Return true from delete if the key existed, and false if not.",
    async check(memory) {
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
  },
  "sorts keys by code unit": {
    advice: "Sort the list of keys from the database with sort(), without a compare function.",
    async check(memory) {
      const sorted = [...SORTED, ...SORTED_ABOVE];
      for (const key of [...sorted].reverse()) await memory.set("s", key, key);
      assertSame("keys", await memory.keys("s"), sorted);
    },
  },
  "keeps keys separate that only look alike": {
    advice: "Compare keys by all their code units: no normalization, no case folding, no trimming, no end at a NUL.",
    async check(memory) {
      const keys = [...Array.from("éÉaA1sſﬁ"), "e\u0301", "a ", "a\0", "a\0b", "01", "1.0", "\ufeffa", "fi"];
      for (const key of keys) await memory.set("s", key, `value of ${key}`);
      for (const key of keys) assertSame(`get ${key}`, await memory.get("s", key), `value of ${key}`);
    },
  },
  "keeps malformed keys separate, or refuses them with an AgentError": {
    advice: "Keep keys as JSON text, which escapes half a character, or reject such a key with an AgentError.",
    async check(memory) {
      await assertApart(
        memory,
        ["\ud800", "\udbff", "\udc00", "\ufffd"],
        (key) => `with code unit ${key.charCodeAt(0)}`,
      );
    },
  },
  "keeps long keys separate, or refuses them with an AgentError": {
    advice: "Do not cut keys: reject a key that is too long with an AgentError.",
    async check(memory) {
      const keys = LENGTHS.flatMap((length) => ["x", "y"].map((end) => "k".repeat(length - 1) + end));
      await assertApart(memory, keys, (key) => `of ${key.length} characters`);
    },
  },
  "keeps keys named like built-in object properties": {
    advice: "Keep entries in a Map, or in an object without a prototype.",
    async check(memory) {
      for (const scope of ["s", "constructor"]) {
        for (const key of OF_OBJECTS) await memory.set(scope, key, `value of ${key}`);
      }
      for (const scope of ["s", "constructor"]) {
        assertSame(`keys of ${scope}`, sorted(await memory.keys(scope)), sorted(OF_OBJECTS));
        for (const key of OF_OBJECTS) assertSame(`get ${key}`, await memory.get(scope, key), `value of ${key}`);
      }
      for (const key of OF_OBJECTS) {
        assertSame(`delete ${key}`, await memory.delete("s", key), true);
        assertSame(`get ${key} after that`, await memory.get("s", key), undefined);
      }
      assertSame("keys", await memory.keys("s"), []);
    },
  },
  "keeps and lists many keys of one scope": {
    advice: "Read every page that the store lists keys in, and clear all of them.",
    async check(memory) {
      const keys = Array.from({ length: MANY }, (_, index) => `k${index}`);
      for (let from = 0; from < MANY; from += AT_ONCE) {
        await Promise.all(keys.slice(from, from + AT_ONCE).map(async (key) => memory.set("s", key, key)));
      }
      await memory.set("t", "k0", "of another");
      const listed = await memory.keys("s");
      assertSame("how many keys are listed", listed.length, MANY);
      assertSame("the keys", sorted(listed), sorted(keys));
      for (const key of ["k0", `k${MANY - 1}`]) assertSame(`get ${key}`, await memory.get("s", key), key);
      await memory.clear("s");
      assertSame("keys after clear", await memory.keys("s"), []);
      assertSame(`get k${MANY - 1} after clear`, await memory.get("s", `k${MANY - 1}`), undefined);
      assertSame("get of the other scope", await memory.get("t", "k0"), "of another");
    },
  },
  "gives a list of keys that is the caller's own": {
    advice: "Give a new list at each call.",
    async check(memory) {
      await memory.set("s", "k", 1);
      (await memory.keys("s")).push("x");
      assertSame("keys", await memory.keys("s"), ["k"]);
    },
  },
});

/** Near the limits of columns and file names. */
const LENGTHS = [127, 128, 255, 256, 512, 1_000, 1_024, 1_025, 4_096, 65_536];

const OF_OBJECTS = [
  ...["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty"],
  ...["length", "size", "then"],
];

/** More than one page of most paged stores, and few enough for a store that waits for its disk each time. */
const MANY = 300;
const AT_ONCE = 50;

async function assertApart(
  memory: RuntimeMemory,
  keys: readonly string[],
  nameOf: (key: string) => string,
): Promise<void> {
  const kept: string[] = [];
  for (const [index, key] of keys.entries()) {
    try {
      await memory.set("s", key, index);
      kept.push(key);
    } catch (error) {
      if (error instanceof Violation) throw error;
      if (error instanceof AgentError) continue;
      fail(`how a key ${nameOf(key)} is refused`, describeThrown(error), "an AgentError");
    }
  }
  for (const key of kept) {
    assertSame(`get of the key ${nameOf(key)}`, await memory.get("s", key), keys.indexOf(key));
  }
  const listed = sorted(await memory.keys("s"));
  assertSame("how many keys there are", listed.length, kept.length);
  const isListed = sorted(kept).every((key, index) => key === listed[index]);
  assertSame("whether what is listed is what was kept", isListed, true);
}

/** One case alone is about the order of the list. */
function sorted(keys: readonly string[]): string[] {
  return [...keys].sort();
}
