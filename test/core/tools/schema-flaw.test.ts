import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/canon/value.js";
import { createArgumentCheck } from "../../../src/core/tools/argument-check.js";
import { findSchemaFlaw } from "../../../src/core/tools/schema-flaw.js";
import { VERBS } from "../../../src/core/tools/verbs.js";
import { refusal } from "../../support/refusal.js";

const flaw = (schema: unknown) => findSchemaFlaw(schema as JsonObject);

describe("a tool's schema", () => {
  it.each<[schema: unknown, pointer: string, what: string]>([
    [{ type: "strin" }, "/type", '"strin" must be a type: string, number'],
    [{ type: ["string", "nul"] }, "/type", '"nul" must be a type'],
    [{ type: [] }, "/type", "a list must be a type"],
    [{ type: null }, "/type", "null must be a type"],
    [{ pattern: "(" }, "/pattern", "Invalid regular expression"],
    [{ pattern: "[\\w-.]" }, "/pattern", "Invalid regular expression"],
    [{ pattern: 5 }, "/pattern", "5 must be a pattern"],
    [{ patternProperties: { "a(/": {} } }, "/patternProperties/a(~1", "Invalid regular expression"],
    [{ required: "a" }, "/required", '"a" must be a list of strings'],
    [{ required: ["a", 1] }, "/required", "it must be a list of strings"],
    [{ properties: [] }, "/properties", "a list must be an object"],
    [{ enum: "a" }, "/enum", '"a" must be a list'],
    [{ minimum: "0" }, "/minimum", '"0" must be a number'],
    [{ exclusiveMinimum: true }, "/exclusiveMinimum", "true must be a number"],
    [{ maxLength: -1 }, "/maxLength", "-1 must be a whole number of 0 or more"],
    [{ minItems: 1.5 }, "/minItems", "1.5 must be a whole number"],
    [{ multipleOf: 0 }, "/multipleOf", "0 must be a number above 0"],
    [{ format: 1 }, "/format", "1 must be a string"],
    [{ items: "string" }, "/items", '"string" must be a schema: an object or a boolean'],
    [{ anyOf: {} }, "/anyOf", "an object must be a list of schemas"],
    [{ dependentRequired: { a: "b" } }, "/dependentRequired/a", '"b" must be a list of strings'],
  ])("is refused as %j, at %s", (schema, pointer, what) => {
    expect(flaw(schema)).toEqual({ pointer, what: expect.stringContaining(what) as string });
  });

  it.each<[schema: object, pointer: string]>([
    [{ properties: { "a/b": { type: "x" } } }, "/properties/a~1b/type"],
    [{ items: { type: "x" } }, "/items/type"],
    [{ items: [{}, { type: "x" }] }, "/items/1/type"],
    [{ prefixItems: [{ type: "x" }] }, "/prefixItems/0/type"],
    [{ oneOf: [true, { not: { type: "x" } }] }, "/oneOf/1/not/type"],
    [{ additionalProperties: { type: "x" } }, "/additionalProperties/type"],
    [{ $defs: { a: { if: { type: "x" } } } }, "/$defs/a/if/type"],
    [{ patternProperties: { "^a": { type: "x" } } }, "/patternProperties/^a/type"],
    [{ dependencies: { a: ["b"], c: { type: "x" } } }, "/dependencies/c/type"],
  ])("is checked wherever its keywords hold schemas: %j", (schema, pointer) => {
    expect(flaw(schema)?.pointer).toBe(pointer);
  });

  it.each<[name: string, schema: object]>([
    ["nothing", {}],
    ["unknown keywords", { kind: "strin", nullable: "?", constructor: 1, "x-order": ["a"] }],
    [
      "data that looks like a schema",
      { const: { type: "x" }, default: { type: "x" }, enum: [{ type: "x" }], examples: 1 },
    ],
    ["properties named like keywords", { properties: { type: { type: "string" }, required: true, pattern: {} } }],
    ["several types", { type: ["string", "null"] }],
    ["an unknown format", { format: "till-number" }],
  ])("is taken with %s", (_name, schema) => {
    expect(flaw(schema)).toBeUndefined();
  });

  it("may say whether a bound is excluded where it declares draft 4", () => {
    const schema = { minimum: 0, exclusiveMinimum: true };
    expect(findSchemaFlaw(schema, true)).toBeUndefined();
    const $schema = "http://json-schema.org/draft-04/schema#";
    expect(() => createArgumentCheck("t", { $schema, properties: { a: schema } })).not.toThrow();
  });

  it("is right for each of the verbs", () => {
    for (const { schema } of Object.values(VERBS)) expect(flaw(schema)).toBeUndefined();
  });

  it("is refused with the tool and the place, before the first call", () => {
    expect(refusal(() => createArgumentCheck("shop", { properties: { a: { type: "strin" } } }))).toMatchObject({
      code: "invalid-options",
      message: expect.stringMatching(
        /^the schema of tool shop cannot be used: "strin" must be a type: .* \(at \/properties\/a\/type\)$/,
      ) as string,
    });
  });
});
