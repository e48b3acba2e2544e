// Laws of schemas and of arguments for them, against the validator itself.

import { Validator, type Schema } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/canon/value.js";
import { createArgumentMatch } from "../../../src/core/tools/argument-check.js";
import { VERBS } from "../../../src/core/tools/verbs.js";
import { argumentsFor, toolSchema } from "../../../src/harness/arbitraries/index.js";
import { countOf } from "../../support/shrinking.js";

const isValid = (schema: JsonObject, value: unknown): boolean =>
  new Validator(structuredClone(schema) as Schema, "2020-12").validate(value).valid;

describe("toolSchema", () => {
  it("the validator accepts every matching value and refuses every other one", () => {
    fc.assert(
      fc.property(toolSchema(), ({ schema, matching, nonMatching }) => {
        expect(isValid(schema, matching)).toBe(true);
        expect(isValid(schema, nonMatching)).toBe(false);
        const match = createArgumentMatch("t", schema);
        expect([match(matching).kind, match(nonMatching).kind]).toEqual(["match", "mismatch"]);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    "enum",
    "const",
    "minLength",
    "maxLength",
    "exclusiveMinimum",
    "maximum",
    "items",
    "minItems",
    "anyOf",
    "required",
  ])("gives schemas with %s", (keyword) => {
    expect(countOf(toolSchema(), ({ schema }) => JSON.stringify(schema).includes(`"${keyword}":`))).toBeGreaterThan(20);
  });
});

describe("argumentsFor", () => {
  it("gives only arguments that match, for every schema of toolSchema", () => {
    fc.assert(
      fc.property(toolSchema(), fc.nat(), ({ schema }, seed) => {
        const drawn = argumentsFor(schema);
        if (drawn.kind !== "values") throw new Error(`${drawn.keyword} at ${drawn.pointer}`);
        for (const value of fc.sample(drawn.values, { numRuns: 5, seed })) expect(isValid(schema, value)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, JsonObject]>([
    ["a pattern", { properties: { id: { type: "string", pattern: "^[A-Z]{2}\\d+$" } }, required: ["id"] }],
    ["formats", formats("email", "uri", "uuid", "date-time", "date", "ipv4", "ipv6")],
    ["a multiple", { properties: { n: { type: "integer", multipleOf: 5, minimum: 3, maximum: 22 } } }],
    ["an open number", { properties: { n: { type: "number", exclusiveMinimum: 0, maximum: 1 } } }],
    ["a list of types", { properties: { n: { type: ["integer", "null"], minimum: 2 } }, required: ["n"] }],
    ["further properties", { properties: { a: { type: "null" } }, additionalProperties: { type: "boolean" } }],
    ["unique items", { properties: { l: { type: "array", items: { enum: [1, 2] }, uniqueItems: true } } }],
    ["branches of objects", { anyOf: [{ required: ["a"], properties: { a: { const: 1 } } }, { properties: {} }] }],
    ["no type at all", {}],
    ["a key that no call can bring", { properties: { ["__proto__"]: { type: "null" } }, additionalProperties: false }],
  ])("draws from %s", (_name, schema) => {
    const drawn = argumentsFor(schema);
    expect(drawn.kind).toBe("values");
    if (drawn.kind !== "values") return;
    for (const value of fc.sample(drawn.values, 200)) expect([value, isValid(schema, value)]).toEqual([value, true]);
  });

  it("draws from the schema of every verb", () => {
    for (const { schema } of Object.values(VERBS)) {
      const drawn = argumentsFor(schema);
      if (drawn.kind !== "values") throw new Error(`${drawn.keyword} at ${drawn.pointer}`);
      for (const value of fc.sample(drawn.values, 50)) expect(isValid(schema, value)).toBe(true);
    }
  });

  it.each<[JsonObject, string, string]>([
    [{ properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: {} } }, "$ref", "/properties/a"],
    [{ properties: { "a/b": { not: {} } } }, "not", "/properties/a~1b"],
    [{ properties: { a: { type: "string", pattern: "^(?<=x)y$" } } }, "pattern", "/properties/a"],
    [{ properties: { a: { type: "string", format: "hostname" } } }, "format", "/properties/a"],
    [{ properties: { a: { type: "integer", minimum: 3, maximum: 2 } } }, "minimum", "/properties/a"],
    [{ required: ["b"], properties: { a: {} } }, "required", ""],
    [{ required: ["constructor"], properties: { constructor: { type: "null" } } }, "required", ""],
    [{ type: "array" }, "type", ""],
    [{ properties: { a: false } }, "false", "/properties/a"],
  ])("says of %j that nothing is drawn for %s at %j", (schema, keyword, pointer) => {
    expect(argumentsFor(schema)).toEqual({ kind: "unsupported", keyword, pointer });
  });
});

function formats(...names: string[]): JsonObject {
  return {
    properties: Object.fromEntries(names.map((format) => [format, { type: "string", format }])),
    required: names,
  };
}
