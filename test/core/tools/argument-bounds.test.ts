import { format as FORMATS } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/canon/value.js";
import { ToolArgError } from "../../../src/core/errors.js";
import {
  MAX_ARGUMENT_CHARACTERS,
  MAX_ARGUMENT_VALUES,
  MAX_FORMAT_LENGTH,
  MAX_UNIQUE_CONTAINERS,
  MAX_UNIQUE_ITEMS,
} from "../../../src/core/limits.js";
import { createArgumentCheck, type ArgumentCheck } from "../../../src/core/tools/argument-check.js";
import { boundSchema, findExcess } from "../../../src/core/tools/argument-bounds.js";
import { refusal } from "../../support/refusal.js";

const check = (schema: JsonObject) => createArgumentCheck("t", { properties: { a: schema } });
const accepts = (schema: JsonObject | ArgumentCheck, a: unknown): boolean => {
  try {
    (typeof schema === "function" ? schema : check(schema))({ a });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ToolArgError);
    return false;
  }
};

describe("the size of arguments", () => {
  const anything = createArgumentCheck("any", {});

  it("is a million characters at most, keys and all strings together", () => {
    const half = "x".repeat(MAX_ARGUMENT_CHARACTERS / 2 - 1);
    expect(findExcess({ a: half, b: [half] })).toBeUndefined();
    expect(refusal(() => anything({ a: half, b: [half, "x"] }))).toMatchObject({
      code: "tool-arguments",
      tool: "any",
      field: "",
      message: `the arguments of any have more than ${MAX_ARGUMENT_CHARACTERS} characters in strings`,
    });
    expect(refusal(() => anything({ [`${half}${half}xxx`]: 1 }))).toBeInstanceOf(ToolArgError);
  });

  it("is 100,000 values at most, the arguments object itself and its containers included", () => {
    const items = (count: number) => Array.from({ length: count }, () => 0);
    expect(findExcess({ a: items(MAX_ARGUMENT_VALUES - 2) })).toBeUndefined();
    const message = `the arguments of any have more than ${MAX_ARGUMENT_VALUES} values`;
    expect(refusal(() => anything({ a: items(MAX_ARGUMENT_VALUES - 1) }))).toMatchObject({ message });
    expect(refusal(() => anything({ a: new Array(4_000_000_000) }))).toMatchObject({ message });
    const wide = Object.fromEntries(items(MAX_ARGUMENT_VALUES).map((_, index) => [`k${index}`, 1]));
    expect(refusal(() => anything(wide))).toMatchObject({ message });
  });

  it("is found too large for a cycle too", () => {
    const cycle: Record<string, unknown> = {};
    cycle["me"] = [cycle, cycle];
    expect(findExcess(cycle)).toContain("values");
  });
});

describe("format", () => {
  it("url: 40 characters that take its usual expression for ever are judged at once", () => {
    expect(accepts({ format: "url" }, `http://${"a".repeat(MAX_FORMAT_LENGTH - 9)}!!`)).toBe(true);
    expect(accepts({ format: "url" }, `http://${"a".repeat(40)}\n`)).toBe(false);
    expect(accepts({ format: "url" }, `${"http://a@".repeat(900)} `)).toBe(false);
  });

  it.each([
    ["https://example.com/a?b#c", true],
    ["HTTP://bücher.example:8080", true],
    ["ftp://x", true],
    ["http://", false],
    ["http:///path", false],
    ["http://a b", false],
    ["javascript:alert(1)", false],
    ["example.com", false],
    ["", false],
  ])("url: %j is one: %s", (text, isUrl) => expect(accepts({ format: "url" }, text)).toBe(isUrl));

  it.each(["uri", "email", "date-time", "ipv6", "uuid"])(
    "%s is still asked of a string, and of nothing else",
    (format) => {
      expect(refusal(() => check({ format })({ a: "no such thing" }))).toMatchObject({
        field: "/a",
        message: `the arguments of t do not match its schema: String does not match format "${format}". (at /a)`,
      });
      expect(accepts({ format }, 5)).toBe(true);
    },
  );

  it("is not asked of more than 8,192 characters: they are refused, with the limit", () => {
    expect(accepts({ format: "uri" }, `http://${"a".repeat(MAX_FORMAT_LENGTH - 7)}`)).toBe(true);
    expect(refusal(() => check({ format: "uri" })({ a: `http://[${":".repeat(50_000)}` }))).toMatchObject({
      field: "/a",
      message: expect.stringContaining(`(50008 > ${MAX_FORMAT_LENGTH})`) as string,
    });
  });

  it("judges every format in a bounded time, whatever is repeated in a string of full length", () => {
    const heads = [
      "",
      "http://",
      "http://[",
      "http://a@",
      '"',
      "P",
      "/",
      "#/",
      "0/",
      "{",
      "{a,",
      "::",
      "(",
      "a@",
      "1.",
    ];
    const units = [
      ":",
      "a",
      "0",
      "-",
      "a-",
      "a.",
      "%41",
      "/",
      "[",
      "(",
      "{a}",
      "1:",
      "~0",
      "\\a",
      ",a",
      ".",
      "@",
      "a@",
      "::",
    ];
    const lenient = new Set<string>();
    for (const format of Object.keys(FORMATS)) {
      const one = check({ format });
      for (const head of heads) {
        for (const unit of units) {
          const text = (head + unit.repeat(MAX_FORMAT_LENGTH)).slice(0, MAX_FORMAT_LENGTH - 1) + "\u0001";
          if (accepts(one, text)) lenient.add(format);
        }
      }
    }
    // These take a control character at the end of a text; every other format refused all texts.
    expect([...lenient].sort()).toEqual(["json-pointer", "regex", "relative-json-pointer", "url"]);
  }, 60_000);

  it.each(["constructor", "__proto__", "hasOwnProperty", "no-such-format"])(
    "%s does not count, so it asks nothing",
    (format) => {
      expect(accepts({ format }, "x")).toBe(true);
    },
  );

  it.each<[string, JsonObject]>([
    ["not", { not: { not: { format: "uri" } } }],
    ["anyOf", { anyOf: [{ format: "uri" }] }],
    [
      "a draft-07 dependency named like a keyword",
      { dependencies: { type: { properties: { u: { format: "uri" } } } } },
    ],
    ["a property named like a keyword", { properties: { enum: { format: "uri" } } }],
    ["$defs", { $defs: { u: { format: "uri" } } }],
    ["items in a list", { items: [{ format: "uri" }] }],
  ])("is bounded inside %s", (_name, schema) => {
    boundSchema(schema);
    expect(JSON.stringify(schema)).toContain(`"then":{"format":"uri"},"else":{"maxLength":${MAX_FORMAT_LENGTH}}`);
  });

  it("leaves data that only looks like a schema as it is", () => {
    const data = { format: "uri", uniqueItems: true };
    const schema = { enum: [data], const: data, default: data, dependentRequired: { uniqueItems: ["x"] } };
    const before = JSON.stringify(schema);
    boundSchema(schema);
    expect(JSON.stringify(schema)).toBe(before);
  });

  it("keeps the allOf there is, in its order", () => {
    const schema = { allOf: [{ minLength: 1 }], format: "uri", $ref: "#/allOf/0" };
    boundSchema(schema);
    expect(schema.allOf[0]).toEqual({ minLength: 1 });
    expect(schema.allOf).toHaveLength(2);
  });
});

describe("uniqueItems", () => {
  const unique = { uniqueItems: true };
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

  it("finds a pair among 2,000 numbers, and refuses more with the limit", () => {
    expect(accepts(unique, numbers(MAX_UNIQUE_ITEMS))).toBe(true);
    expect(accepts(unique, [...numbers(MAX_UNIQUE_ITEMS - 1), 0])).toBe(false);
    expect(refusal(() => check(unique)({ a: numbers(40_000) }))).toMatchObject({
      field: "/a",
      message: expect.stringContaining(`(40000 > ${MAX_UNIQUE_ITEMS})`) as string,
    });
  });

  it("takes 200 arrays or objects, which take longer to compare", () => {
    const objects = (count: number) => numbers(count).map((n) => ({ n }));
    expect(accepts(unique, objects(MAX_UNIQUE_CONTAINERS))).toBe(true);
    expect(accepts(unique, [...objects(MAX_UNIQUE_CONTAINERS - 1), { n: 0 }])).toBe(false);
    expect(accepts(unique, objects(MAX_UNIQUE_CONTAINERS + 1))).toBe(false);
    expect(accepts(unique, [...numbers(MAX_UNIQUE_CONTAINERS), []])).toBe(false);
  });

  it("asks nothing where it is false, and of a value that is not an array", () => {
    expect(accepts({ uniqueItems: false }, numbers(MAX_UNIQUE_ITEMS + 1).fill(0))).toBe(true);
    expect(accepts(unique, "text")).toBe(true);
    expect(accepts(unique, [])).toBe(true);
  });

  it("marks no item as looked at, so that unevaluatedItems still refuses it", () => {
    expect(accepts({ uniqueItems: true, unevaluatedItems: false }, [1])).toBe(false);
  });
});
