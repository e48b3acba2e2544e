import { describe, expect, it } from "vitest";
import { createQuickCheck } from "../../../src/core/tools/quick-check.js";

const person = {
  type: "object",
  properties: {
    name: { type: "string", description: "Full name" },
    age: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
    address: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
  required: ["name"],
  additionalProperties: false,
};

describe("createQuickCheck", () => {
  it.each([
    ["what is required alone", { name: "Ada" }],
    ["all of it", { name: "Ada", age: 36, tags: ["math"], address: { city: "London", more: 1 } }],
    ["an empty list", { name: "Ada", tags: [] }],
  ])("says yes to %s", (_name, value) => {
    expect(createQuickCheck(person)?.(value)).toBe(true);
  });

  it.each([
    ["a missing key", { age: 1 }],
    ["a key too many", { name: "Ada", other: 1 }],
    ["another type", { name: 1 }],
    ["a number that is not whole", { name: "Ada", age: 1.5 }],
    ["another type deep down", { name: "Ada", tags: ["a", 1] }],
    ["a missing key deep down", { name: "Ada", address: {} }],
    ["a list for an object", []],
    ["a Date for an object", new Date(0)],
    ["nothing", undefined],
  ])("does not say yes to %s", (_name, value) => {
    expect(createQuickCheck(person)?.(value)).toBe(false);
  });

  it.each([
    ["a pattern", { type: "object", properties: { a: { type: "string", pattern: "^x" } } }],
    ["several types", { type: "object", properties: { a: { type: ["string", "null"] } } }],
    ["a reference", { type: "object", properties: { a: { $ref: "#" } } }],
    ["a count of keys", { type: "object", minProperties: 1 }],
    ["items of an object", { type: "object", items: { type: "string" } }],
    ["keys of a list", { type: "array", required: ["length"] }],
    ["keys of a text", { type: "string", properties: {} }],
    ["a list of items", { type: "array", items: [{ type: "string" }] }],
    ["a schema for the other keys", { type: "object", additionalProperties: { type: "string" } }],
    ["no type", { properties: {} }],
    ["a type of the prototype", { type: "toString" }],
    ["true", true],
  ])("leaves %s to the validator", (_name, schema) => {
    expect(createQuickCheck(schema)).toBeUndefined();
  });
});
