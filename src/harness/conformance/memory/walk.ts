// Cases about many calls: a repeatable random walk compared with a plain map, concurrent calls, and the end.

import type { JsonValue, RuntimeMemory } from "../../../core/index.js";
import { assertSame, toClauses, type Clause } from "../../contract/clause.js";

const ONE_CALL = "Make each call read and write in one atomic step: one statement, one transaction or one lock.";

const STEPS = 400;
const SEEDS = [1, 2, 3];
const SCOPES = ["a", "a:b", "", "global"];
const KEYS = ["a", "b", "b:c", "", "10", "9"];
const VALUES: readonly JsonValue[] = [null, 0, "", "text", [], {}, { a: [1, { b: null }] }, false];
const NUMBERS = Array.from({ length: 50 }, (_, index) => index);

export const walkClauses: readonly Clause<RuntimeMemory>[] = toClauses({
  "acts like a plain map over many mixed calls": {
    advice: "Repeat the calls up to that step one by one: the walk is the same in every run.",
    async check(memory) {
      const reference = new Map<string, Map<string, JsonValue>>();
      for (const seed of SEEDS) {
        const next = createDice(seed);
        for (let step = 0; step < STEPS; step++) await takeStep(memory, reference, next, `seed ${seed}, step ${step}`);
      }
      for (const scope of SCOPES) {
        for (const key of KEYS) {
          assertSame(`${key} of ${scope} at the end`, await memory.get(scope, key), reference.get(scope)?.get(key));
        }
      }
    },
  },
  "keeps every value of concurrent calls": {
    advice: ONE_CALL,
    async check(memory) {
      await atOnce(NUMBERS, (index) => memory.set(`s${index % 3}`, `k${index}`, { index }));
      const read = await atOnce(NUMBERS, (index) => memory.get(`s${index % 3}`, `k${index}`));
      const written = NUMBERS.map((index) => ({ index }));
      assertSame("what was read", read, written);
      for (const third of [0, 1, 2]) {
        const expected = NUMBERS.filter((index) => index % 3 === third).map((index) => `k${index}`);
        assertSame(`keys of s${third}`, await memory.keys(`s${third}`), expected.sort());
      }
    },
  },
  "keeps one whole value of many concurrent writes to one key": {
    advice: ONE_CALL,
    async check(memory) {
      const copiesOf = (index: number) => ({ index, copies: Array(20).fill(index) as number[] });
      const values = NUMBERS.map(copiesOf);
      await atOnce(values, (value) => memory.set("s", "k", value));
      const read = (await memory.get("s", "k")) as { index: number } | undefined;
      assertSame("the value", read, values[read?.index ?? -1]);
      assertSame("keys", await memory.keys("s"), ["k"]);
    },
  },
  "clears one scope while another is written": {
    advice: ONE_CALL,
    async check(memory) {
      for (const index of NUMBERS) await memory.set("cleared", `k${index}`, index);
      await atOnce([-1, ...NUMBERS], (index) =>
        index === -1 ? memory.clear("cleared") : memory.set("written", `k${index}`, index),
      );
      assertSame("keys of the cleared scope", await memory.keys("cleared"), []);
      const keys = NUMBERS.map((index) => `k${index}`).sort();
      assertSame("keys of the other", [...(await memory.keys("written"))].sort(), keys);
    },
  },
  "deletes a key for only one of many concurrent calls": {
    advice: ONE_CALL,
    async check(memory) {
      await memory.set("s", "k", 1);
      const answers = await atOnce(NUMBERS, () => memory.delete("s", "k"));
      assertSame("how many calls deleted the key", answers.filter(Boolean).length, 1);
    },
  },
  "closes without an error": {
    advice: "End close once all earlier calls are done.",
    async check(memory) {
      await memory.set("s", "k", 1);
      await memory.close?.();
    },
  },
});

async function takeStep(
  memory: RuntimeMemory,
  reference: Map<string, Map<string, JsonValue>>,
  next: (below: number) => number,
  where: string,
): Promise<void> {
  const scope = SCOPES[next(SCOPES.length)] as string;
  const key = KEYS[next(KEYS.length)] as string;
  const entries = reference.get(scope) ?? new Map<string, JsonValue>();
  reference.set(scope, entries);
  const dice = next(20);
  if (dice < 8) {
    const value = VALUES[next(VALUES.length)] as JsonValue;
    await memory.set(scope, key, value);
    entries.set(key, value);
  } else if (dice < 13) {
    assertSame(`get, ${where}`, await memory.get(scope, key), entries.get(key));
  } else if (dice < 16) {
    assertSame(`delete, ${where}`, await memory.delete(scope, key), entries.delete(key));
  } else if (dice < 19) {
    assertSame(`keys, ${where}`, await memory.keys(scope), [...entries.keys()].sort());
  } else {
    await memory.clear(scope);
    entries.clear();
  }
}

function atOnce<T, R>(items: readonly T[], call: (item: T) => R | Promise<R>): Promise<R[]> {
  return Promise.all(items.map(async (item) => call(item)));
}

/** Numbers from 0 to `below - 1`, the same for the same seed: a linear congruential generator whose high bits are used. */
function createDice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
