import { Validator, type Schema } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seal } from "../../src/core/canon/copy.js";
import type { JsonObject, JsonValue } from "../../src/core/canon/value.js";
import { ToolArgError } from "../../src/core/errors.js";
import { createArgumentCheck, scrubArguments, type ArgumentCheck } from "../../src/core/tools/argument-check.js";
import { createQuickCheck } from "../../src/core/tools/quick-check.js";
import { toResultText } from "../../src/core/tools/result.js";
import { VERBS } from "../../src/core/tools/verbs.js";
import { hostileArguments } from "../../src/harness/arbitraries/tools.js";
import { json, jsonObject, objectsIn } from "../support/arbitraries.js";

const FORBIDDEN = ["__proto__", "constructor", "prototype"];
/** Too deep for the scrubber, or no container, is not what these laws are about. */
const hostile = hostileArguments().filter((args) => JSON.stringify(args).split("{").length < 60);

const SCHEMAS: JsonObject[] = [
  {},
  ...Object.values(VERBS).map(({ schema }) => schema),
  {
    type: "object",
    patternProperties: { "^[a-z]+$": { type: ["string", "null"] } },
    additionalProperties: { type: "number" },
  },
  { propertyNames: { maxLength: 3 }, minProperties: 1, maxProperties: 3 },
  {
    $defs: { tree: { type: ["object", "array", "string"], additionalProperties: { $ref: "#/$defs/tree" } } },
    $ref: "#/$defs/tree",
  },
  {
    additionalProperties: {
      oneOf: [{ type: "array", uniqueItems: true, contains: { const: 1 } }, { multipleOf: 0.1 }],
    },
  },
  { not: { required: ["a"] }, unevaluatedProperties: false, properties: { "": { format: "uri" } } },
  { if: { required: ["constructor"] }, then: false, else: { dependentRequired: { toString: ["a"] } } },
];

describe("scrubArguments", () => {
  it("leaves no forbidden key at any depth", () => {
    fc.assert(
      fc.property(hostile, (args) => {
        const clean = scrubArguments(args);
        for (const object of objectsIn(clean)) {
          expect(FORBIDDEN.filter((key) => Object.hasOwn(object, key))).toEqual([]);
          expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("scrubbed twice is scrubbed once", () => {
    fc.assert(
      fc.property(fc.oneof(hostile, jsonObject), (args) => {
        const once = scrubArguments(args);
        expect(scrubArguments(once)).toStrictEqual(once);
      }),
      { numRuns: 500 },
    );
  });

  it("changes nothing else, and neither its argument nor any prototype", () => {
    fc.assert(
      fc.property(jsonObject, (args) => {
        const sealed = seal(args);
        expect(JSON.stringify(scrubArguments(sealed))).toBe(JSON.stringify(without(args)));
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("createArgumentCheck", () => {
  const checks = SCHEMAS.map((schema, index) => createArgumentCheck(`t${index}`, schema));

  it("gives arguments or ToolArgError, and nothing else, for any JSON and any of a set of schemas", () => {
    fc.assert(
      fc.property(fc.oneof(json, jsonObject), fc.nat(checks.length - 1), (args, index) => {
        const check = checks[index] as ArgumentCheck;
        const result = outcome(() => check(args));
        if (result instanceof Error) expect(result).toBeInstanceOf(ToolArgError);
        else expect(JSON.stringify(result)).toBe(JSON.stringify(without(args)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("gives arguments or ToolArgError for anything at all", () => {
    const hostile = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(fc.oneof(hostile, fc.dictionary(fc.string(), hostile)), fc.nat(checks.length - 1), (args, index) => {
        const check = checks[index] as ArgumentCheck;
        const result = outcome(() => check(args));
        if (result instanceof Error) expect(result).toBeInstanceOf(ToolArgError);
        else expect(typeof result).toBe("object");
      }),
      { numRuns: 2_000 },
    );
  });

  it("judges the same value the same way each time", () => {
    fc.assert(
      fc.property(jsonObject, fc.nat(checks.length - 1), (args, index) => {
        const check = checks[index] as ArgumentCheck;
        const [first, second] = [outcome(() => check(args)), outcome(() => check(args))];
        expect(second).toStrictEqual(first);
      }),
      { numRuns: 300 },
    );
  });
});

describe("toResultText", () => {
  it("is well-formed text within its limit for anything that has no code of its own", () => {
    const value = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
    });
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 60 }), (result, limit) => {
        const { text, cut } = toResultText(result, limit);
        expect(text.isWellFormed()).toBe(true);
        expect(
          cut === 0
            ? text.length <= limit
            : text.startsWith(toResultText(result).text.slice(0, Math.max(0, limit - 1))),
        ).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** The JSON without forbidden keys, by another way than the one under test. */
function without(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value), function (this: unknown, key: string, item: JsonValue) {
    return FORBIDDEN.includes(key) && !Array.isArray(this) ? undefined : item;
  }) as JsonValue;
}

function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe("the quick check of arguments", () => {
  const names = fc.constantFrom("a", "b", "toString", "");
  const plainSchema = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom("string", "number", "integer", "boolean", "null", "array").map((type): JsonObject => ({ type })),
      tie("schema").map((items): JsonObject => ({ type: "array", items })),
      fc
        .record(
          {
            properties: fc.dictionary(names, tie("schema")),
            required: fc.array(names),
            additionalProperties: fc.boolean(),
          },
          { requiredKeys: [] },
        )
        .map((rest): JsonObject => ({ type: "object", ...rest })),
    ),
  })).schema;
  const near = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<JsonValue>("x", 1, 1.5, true, null),
      fc.array(tie("value"), { maxLength: 2 }),
      fc.dictionary(names, tie("value"), { maxKeys: 3 }),
    ),
  })).value;

  it("says yes exactly where the validator does", () => {
    let yes = 0;
    fc.assert(
      fc.property(plainSchema, fc.oneof(near, json), (schema, value) => {
        const quick = createQuickCheck(schema)?.(value);
        yes += quick === true ? 1 : 0;
        expect(quick).toBe(new Validator(structuredClone(schema) as Schema, "2020-12").validate(value).valid);
      }),
      { numRuns: 2_000, examples: [[{ type: "object", properties: { a: { type: "integer" } } }, { a: 1 }]] },
    );
    expect(yes).toBeGreaterThan(0);
  });
});
