// Cases about values: every kind of JSON comes back equal and unshared, and other values are refused without loss.

import {
  AgentError,
  MAX_JSON_DEPTH,
  type JsonObject,
  type JsonValue,
  type RuntimeMemory,
} from "../../../core/index.js";
import { assertSame, fail, toClauses, type Clause } from "../../contract/clause.js";

const COPY = "Keep a copy of what is written and give a copy of what is read, such as its JSON text.";

export const valueClauses: readonly Clause<RuntimeMemory>[] = toClauses({
  "keeps every kind of JSON value": {
    advice: "Write values as JSON text and read them with JSON.parse, whatever their type.",
    async check(memory) {
      const entries = Object.entries(KINDS);
      for (const [name, value] of entries) await memory.set("s", name, value);
      for (const [name, value] of entries) assertSame(name, await memory.get("s", name), value);
    },
  },
  "keeps __proto__ and the names of every object's methods as data": {
    advice: "Copy objects with JSON.parse or with defineProperty: an assignment to __proto__ sets the prototype.",
    async check(memory) {
      const text =
        '{"__proto__":{"isAdmin":true},"constructor":1,"prototype":[{"__proto__":null}],"toJSON":2,"then":3}';
      const value = JSON.parse(text) as JsonValue;
      await memory.set("__proto__", "__proto__", value);
      const read = await memory.get("__proto__", "__proto__");
      assertSame("get", read, value);
      assertSame("what every object has", ({} as JsonObject)["isAdmin"], undefined);
      assertSame("what the value inherits", (read as JsonObject)["isAdmin"], undefined);
      assertSame("keys", await memory.keys("__proto__"), ["__proto__"]);
    },
  },
  "keeps large values": {
    advice: "Keep a value whole, or reject it with an AgentError; cut nothing off.",
    async check(memory) {
      const values = {
        "a text of 1,000,000 characters": "aé\u{1f600}\0".repeat(200_000),
        "an array of 20,000 items": Array.from({ length: 20_000 }, (_, index) => ({ index })),
        "an object of 20,000 keys": Object.fromEntries(
          Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index]),
        ),
        [`${MAX_JSON_DEPTH} levels`]: nested(MAX_JSON_DEPTH),
      };
      for (const [name, value] of Object.entries(values)) {
        await memory.set("s", name, value);
        assertSame(name, await memory.get("s", name), value);
      }
    },
  },
  "shares nothing with the value that was written": {
    advice: COPY,
    async check(memory) {
      const value = { list: [1, { deep: true }] as JsonValue[], own: { a: 1 } as JsonObject };
      const before = structuredClone(value);
      await memory.set("s", "k", value);
      assertSame("the value after it was written", value, before);
      value.list.push(2);
      (value.list[1] as JsonObject)["deep"] = false;
      value.own["b"] = 2;
      assertSame("get", await memory.get("s", "k"), before);
    },
  },
  "shares nothing with the value that was read": {
    advice: COPY,
    async check(memory) {
      const value = { list: [1, { deep: true }], own: { a: 1 } };
      await memory.set("s", "k", value);
      const read = (await memory.get("s", "k")) as { list: JsonValue[]; own: JsonObject };
      read.list.push(2);
      (read.list[1] as JsonObject)["deep"] = false;
      delete read.own["a"];
      assertSame("get", await memory.get("s", "k"), value);
    },
  },
  "refuses what is no JSON by an AgentError, and keeps the old value": {
    advice: "Check the value before the old one is touched, and reject with new AgentError('not-json', message).",
    async check(memory) {
      await memory.set("s", "old", { kept: true });
      for (const [name, make] of Object.entries(NOT_JSON)) {
        await assertRefused(memory, "old", name, make());
        await assertRefused(memory, "new", name, make());
        assertSame(`the old value after ${name}`, await memory.get("s", "old"), { kept: true });
        assertSame(`keys after ${name}`, await memory.keys("s"), ["old"]);
      }
    },
  },
});

const KINDS: Readonly<Record<string, JsonValue>> = {
  true: true,
  false: false,
  zero: 0,
  "a negative number": -17,
  "a fraction": 0.1,
  "the largest number": Number.MAX_VALUE,
  "the smallest number": Number.MIN_VALUE,
  "the largest safe integer": Number.MAX_SAFE_INTEGER,
  "an integer beyond 2^53": 2 ** 60 + 2 ** 10,
  "an empty text": "",
  "a text that reads like JSON": '{"a":1}',
  "a text that reads like a number": "007",
  "a text that says null": "null",
  "control characters": "\0\u0001\t\n\r\u001f\u007f\u0085",
  "quotes and backslashes": `"'\\\``,
  "line separators and a byte order mark": "\ufeff\u2028\u2029\u200b",
  "characters beyond the first plane": "\u{1f600}\u{10ffff}",
  "decomposed text": "e\u0301 é",
  "an empty array": [],
  "an empty object": {},
  "nested empties": [[], {}, [[]], null, ""],
  "keys of all sorts": { "": 1, " ": 2, "1": 3, é: 4, "e\u0301": 5, "\0": 6, "\u{1f600}": 7 },
  "a mixed value": { list: [1, "two", null, true, { three: [3] }], empty: {} },
};

class Instance {
  readonly a = 1;
}

/** A new value each time, since a store might keep the one it gets. */
const NOT_JSON: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  NaN: () => NaN,
  Infinity: () => [-Infinity],
  "a BigInt": () => ({ a: 1n }),
  "a function": () => ({ a: () => 1 }),
  "a symbol": () => [Symbol("s")],
  "a symbol as key": () => ({ [Symbol("s")]: 1 }),
  "a Date": () => ({ at: new Date(0) }),
  "a Map": () => new Map([["a", 1]]),
  "a typed array": () => new Uint8Array(2),
  "an instance of a class": () => new Instance(),
  "an array with undefined": () => [undefined],
  "an array with a hole": () => [1, , 3],
  "a lone surrogate": () => ["\ud800"],
  "a lone surrogate as key": () => ({ "\udc00": 1 }),
  "a cycle": () => {
    const value: Record<string, unknown> = {};
    value["self"] = [value];
    return value;
  },
  [`${MAX_JSON_DEPTH + 1} levels`]: () => nested(MAX_JSON_DEPTH + 1),
};

async function assertRefused(memory: RuntimeMemory, key: string, name: string, value: unknown): Promise<void> {
  try {
    await memory.set("s", key, value as JsonValue);
  } catch (error) {
    if (error instanceof AgentError) return;
    fail(`set of ${name}`, error instanceof Error ? error.name : typeof error, "AgentError");
  }
  fail(`set of ${name}`, "no error", "AgentError");
}

function nested(levels: number): JsonValue {
  let value: JsonValue = [];
  for (let level = 1; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
