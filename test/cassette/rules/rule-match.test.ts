import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_PATTERN_TEXTS } from "../../../src/cassette/limits.js";
import { createRuleMatch } from "../../../src/cassette/rules/rule-match.js";
import { createArgumentMatch, type JsonObject } from "../../../src/core/index.js";
import { refusal } from "../../support/refusal.js";

const match = (schema: JsonObject, args: unknown) => createRuleMatch("pay", schema)(args);
const property = (schema: JsonObject): JsonObject => ({ properties: { a: schema } });
const HOSTILE = `${"a".repeat(36)}!`;

describe("a rule's schema", () => {
  it("answers at once where the engine's own expressions would not in a lifetime", () => {
    expect(match(property({ pattern: "^(a+)+$" }), { a: HOSTILE })).toEqual({
      kind: "mismatch",
      pointer: "/a",
      what: 'String does not match pattern "^(a+)+$".',
    });
    expect(match({ patternProperties: { "^(a+)+$": false } }, { [HOSTILE]: 1 })).toEqual({ kind: "match" });
    expect(match({ propertyNames: { pattern: "^(a+)+$" } }, { [HOSTILE]: 1 })).toMatchObject({ kind: "mismatch" });
  });

  it.each<[string, JsonObject]>([
    ["a back reference", property({ pattern: "(a)\\1" })],
    ["a look-around", property({ pattern: "^(?=a)" })],
    ["a word boundary", { patternProperties: { "\\ba": true } }],
    ["more steps than there may be", property({ pattern: "(?:a{100}){100}" })],
  ])("is refused for a pattern with %s", (_name, schema) => {
    const error = refusal(() => createRuleMatch("pay", schema)) as Error;
    expect(error).toMatchObject({ code: "invalid-options" });
    expect(error.message).toContain("the schema of tool pay cannot be used: its pattern");
  });

  it.each<[string, JsonObject]>([
    ["itself", { $ref: "#" }],
    [
      "itself by a detour",
      { allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { anyOf: [true, { $ref: "#/$defs/b" }] }, b: { $ref: "#" } } },
    ],
    ["itself below a property", property({ not: { $ref: "#/properties/a" } })],
  ])("is refused for a reference that leads back to %s", (_name, schema) => {
    expect((refusal(() => createRuleMatch("pay", schema)) as Error).message).toContain("leads back to itself");
  });

  it("may refer to itself below a value", () => {
    const tree = { properties: { next: { $ref: "#" }, name: { pattern: "^n" } } };
    expect(match(tree, { name: "n", next: { next: { name: "n" } } })).toEqual({ kind: "match" });
    expect(match(tree, { name: "n", next: { next: { name: "x" } } })).toMatchObject({ pointer: "/next/next/name" });
  });

  it("does not say that a text matches, nor that it does not, where it is too long to be tried", () => {
    const long = "a".repeat(20_000);
    expect(match(property({ pattern: "^a*$" }), { a: long })).toMatchObject({ kind: "unchecked" });
    expect(match({ patternProperties: { "^a*$": false } }, { [long]: 1 })).toMatchObject({ kind: "unchecked" });
    // Where no pattern looks at it, its length is nothing.
    expect(match(property({ pattern: "^x$" }), { a: "x", b: long })).toEqual({ kind: "match" });
    expect(match(property({ pattern: "^x$" }), { a: "y", b: long })).toMatchObject({ kind: "mismatch", pointer: "/a" });
    expect(match(property({ not: { pattern: "^x$" } }), { a: "y", b: long })).toMatchObject({ kind: "unchecked" });
  });

  it("says nothing of a text with half a character", () => {
    expect(match(property({ pattern: "a" }), { a: "a\ud800" })).toMatchObject({ kind: "unchecked" });
  });

  it("tries so many texts and says of the others that they were not tried", () => {
    const list = Array.from({ length: MAX_PATTERN_TEXTS + 10 }, (_, index) => `item ${index}`);
    expect(match(property({ items: { pattern: "^item" } }), { a: list.slice(0, 100) })).toEqual({ kind: "match" });
    expect(match(property({ items: { pattern: "^item" } }), { a: list })).toMatchObject({ kind: "unchecked" });
  });

  it("means what the validator means by it", () => {
    const pattern = fc.constantFrom("^a", "b$", "^[ab]+$", "a|^$", "^x-", "");
    const schema = fc.tuple(pattern, pattern, pattern).chain(([one, two, three]): fc.Arbitrary<JsonObject> =>
      fc.constantFrom<JsonObject>(
        { properties: { a: { pattern: one, minLength: 1 }, b: { not: { pattern: two } } } },
        {
          patternProperties: { [one]: { type: "string" }, [`${two}(?:)`]: { pattern: three } },
          additionalProperties: false,
        },
        { anyOf: [{ properties: { a: { pattern: one } } }, { propertyNames: { pattern: two } }] },
        { oneOf: [{ properties: { a: { pattern: one } } }, { properties: { b: { pattern: two } } }] },
        { properties: { a: { $ref: "#/$defs/p" }, b: { items: { pattern: two } } }, $defs: { p: { pattern: one } } },
        {
          if: { properties: { a: { pattern: one } } },
          then: { required: ["b"] },
          unevaluatedProperties: { pattern: two },
        },
      ),
    );
    const text = fc.constantFrom("", "a", "ab", "b", "ba", "x-a", "c|d.e");
    const args = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.integer()), { maxKeys: 4 });
    fc.assert(
      fc.property(schema, args, (one, given) => {
        const [own, its] = [match(one, given), createArgumentMatch("pay", one)(given)];
        expect(own.kind).toBe(its.kind);
        if (own.kind === "mismatch" && its.kind === "mismatch") expect(own.pointer).toBe(its.pointer);
      }),
      { numRuns: 300 },
    );
  });
});
