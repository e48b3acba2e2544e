// The published schema of the tolerance file and its parser accept the same documents, but for what a schema cannot say.

import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDocument } from "../../../src/cassette/tolerance/document.js";

const schema = JSON.parse(readFileSync("schemas/tolerances.schema.json", "utf8")) as object;
const isValid = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(schema);

/** What the parser alone refuses. */
const BEYOND_SCHEMA = /cannot be used as a pattern|lies below the set|would contain itself/;

const EVERY_KIND = {
  $schema: "../schemas/tolerances.schema.json",
  version: 1,
  tools: {
    "*": { "": "ignoreExtra", "/*/id": "uuid", "/a~1b": "ignore" },
    search: {
      "/query": ["trim", "case"],
      "/limit": { default: 10 },
      "/lat": { numeric: { absolute: 0.001 } },
      "/when": [{ isoDate: "day" }, { default: null }],
      "/code": { regex: "^[A-Z]+$" },
      "/unit": { oneOf: ["C", "celsius", 1, null, true] },
      "/tags": "set",
      "/tags/*": "trim",
      "": ["ignore", "ignoreExtra"],
    },
  },
};

const word = fc.constantFrom("ignore", "trim", "case", "uuid", "set", "ignoreExtra", "Ignore", "", "default");
const amount = fc.constantFrom<unknown[]>(0, -1, 0.5, 1, 2, "1", null);
const numeric = fc.oneof(
  fc.record({ absolute: amount, relative: amount }, { requiredKeys: [] }),
  fc.constantFrom<unknown[]>(1, {}, { abs: 1 }),
);
const choices = fc.array(fc.constantFrom<unknown[]>("a", "b", 1, null, true, [], {}), { maxLength: 3 });
const object = fc.record(
  {
    default: fc.constantFrom<unknown[]>(1, null, {}, []),
    numeric,
    isoDate: fc.constantFrom<unknown[]>("any", "instant", "day", "week", 1),
    regex: fc.constantFrom<unknown[]>(
      "^x",
      "(?:a|\\\\1)+",
      "[\\b(?=]",
      "\\(\\?=",
      "(a)\\1",
      "\\bx",
      "(?=a)",
      "(?<n>a)\\k<n>",
      "",
      "(",
      1,
      "x".repeat(256),
      "x".repeat(257),
      "\u{1f600}".repeat(200),
    ),
    oneOf: fc.oneof(choices, fc.constant("a")),
    other: fc.constant(1),
  },
  { requiredKeys: [] },
);
/** Mostly of one field, as it should be. */
const single = object.map((fields) => Object.fromEntries(Object.entries(fields).slice(0, 1)));
const entry = fc.oneof(word, single, single, object, fc.constantFrom<unknown[]>(null, 1, true));
const entries = fc.oneof(entry, entry, fc.array(entry, { maxLength: 4 }), fc.constant(Array(17).fill("ignore")));
const pointer = fc.oneof(
  fc.constantFrom(
    "",
    "/",
    "/a",
    "/*",
    "/**",
    "/a/*",
    "/*/a",
    "/a*",
    "/~0~1",
    "/~2",
    "/~",
    "a",
    "*",
    "/a/",
    "/a~/",
    "/\n",
    "//*",
  ),
  fc.string({ unit: "binary", maxLength: 3 }).map((text) => `/${text}`),
  fc.constantFrom(`/${"x".repeat(999)}`, `/${"x".repeat(1000)}`, `/${"\u{1f600}".repeat(999)}`),
);
const places = fc.oneof(
  { weight: 9, arbitrary: fc.dictionary(pointer, entries, { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown[]>([], "x", null) },
);
const tools = fc.oneof(
  { weight: 9, arbitrary: fc.dictionary(fc.constantFrom("f", "*", "", "__proto__"), places, { maxKeys: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown[]>([], null, "f") },
);
const sometimes = <T>(usual: T, ...others: unknown[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
const document = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record(
      { version: sometimes(1, 2, "1", 1.5), tools, $schema: sometimes("s", 1), more: fc.constant(1) },
      { requiredKeys: ["version", "tools"] },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom<unknown[]>(null, [], "x", { version: 1 }, { tools: {} }) },
);

describe("schemas/tolerances.schema.json", () => {
  it("accepts a document with every kind, as the parser does", () => {
    expect(isValid(EVERY_KIND)).toBe(true);
    expect(readDocument(EVERY_KIND).problems).toEqual([]);
  });

  it("agrees with the parser on any document", () => {
    fc.assert(
      fc.property(document, (value) => {
        const { problems } = readDocument(value);
        const malformed = problems.filter(({ what }) => !BEYOND_SCHEMA.test(what));
        const isUnbounded = problems.some(({ what }) => what.includes("cannot be matched in bounded time"));
        expect({ value, valid: isValid(value) }).toEqual({ value, valid: malformed.length === 0 && !isUnbounded });
      }),
      { numRuns: 5000 },
    );
  });
});
