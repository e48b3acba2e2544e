// Arbitrary JSON Schemas (draft 2020-12, as tools use it), drawn and shrunk with matching and non-matching arguments.

import fc from "fast-check";
import { defined, type JsonObject, type JsonValue } from "../../core/index.js";
import { either } from "./either.js";
import { text, word } from "./text.js";

export interface SchemaCase {
  readonly schema: JsonObject;
  readonly matching: JsonObject;
  /** An object that breaks the schema in one place, at any depth. */
  readonly nonMatching: JsonObject;
}

type Kind = "null" | "boolean" | "number" | "string" | "array" | "object";

interface Node {
  readonly schema: JsonObject;
  readonly kinds: readonly Kind[];
  readonly matching: JsonValue;
  readonly nonMatching: JsonValue;
}

const SAMPLES: readonly (readonly [Kind, JsonValue])[] = [
  ["null", null],
  ["number", 0],
  ["string", ""],
  ["boolean", false],
  ["array", []],
  ["object", {}],
];

/**
 * `type`, `properties`, `required`, `additionalProperties: false`, `enum`, `const`, bounds of numbers, strings and lists,
 * `items`, `anyOf`, nested. Shrinks to an object without properties that allows none.
 */
export function toolSchema(): fc.Arbitrary<SchemaCase> {
  return fc.tuple(properties(2), fc.boolean(), fc.nat(20)).map(([given, isOpen, pick]) => {
    const { schema, matching, broken } = layOut(given, isOpen && given.length > 0);
    return { schema, matching, nonMatching: pickOf(broken, pick) };
  });
}

function node(depth: number): fc.Arbitrary<Node> {
  const plain = either(strings(), integers, numbers, constants, choices());
  return depth === 0 ? plain : either([4, plain], lists(depth), objects(depth), unions(depth));
}

const pick = fc.nat(20);
const bound = (max: number) => fc.option(fc.nat(max), { nil: undefined });

// A function, since the first text takes time: an import makes none.
const strings = (): fc.Arbitrary<Node> =>
  fc.tuple(text(), bound(3), bound(5), pick).map(([drawn, minLength, room, at]) => {
    const least = minLength ?? 0;
    const maxLength = plus(least, room);
    const schema = { type: "string", ...defined({ minLength, maxLength }) };
    const points = Array.from(drawn).slice(0, maxLength);
    const matching = points.join("") + "a".repeat(Math.max(0, least - points.length));
    const broken = [...(least > 0 ? [""] : []), ...(maxLength === undefined ? [] : ["a".repeat(maxLength + 1)])];
    return toNode(schema, ["string"], matching, broken, at);
  });

const integers: fc.Arbitrary<Node> = fc
  .tuple(fc.integer({ min: -50, max: 50 }), fc.boolean(), bound(9), bound(9), pick)
  .map(([matching, isExclusive, below, above, at]) => {
    const minimum = plus(matching, below, -1);
    const maximum = plus(matching, above);
    const bounds = isExclusive
      ? defined({ exclusiveMinimum: plus(minimum, -1), exclusiveMaximum: plus(maximum, 1) })
      : defined({ minimum, maximum });
    const outside = [plus(minimum, -1), plus(maximum, 1)].filter((value) => value !== undefined);
    return toNode({ type: "integer", ...bounds }, ["number"], matching, [...outside, matching + 0.5], at);
  });

const numbers: fc.Arbitrary<Node> = fc
  .tuple(fc.integer({ min: -200, max: 200 }), bound(9), bound(9), pick)
  .map(([quarters, below, above, at]) => {
    const matching = quarters / 4;
    const minimum = plus(matching, below, -1);
    const maximum = plus(matching, above);
    const outside = [plus(minimum, -0.25), plus(maximum, 0.25)].filter((value) => value !== undefined);
    return toNode({ type: "number", ...defined({ minimum, maximum }) }, ["number"], matching, outside, at);
  });

const constants: fc.Arbitrary<Node> = fc
  .tuple(fc.constantFrom<JsonValue[]>(null, true, false, 1, "on"), fc.boolean(), pick)
  .map(([value, isTyped, at]) => {
    const kind = kindOf(value);
    const isType = isTyped && (kind === "boolean" || kind === "null");
    const schema: JsonObject = isType ? { type: kind } : { const: value };
    return toNode(schema, [kind], isType && kind === "boolean" ? at % 2 === 0 : value, [], at);
  });

/** Values of one kind, so that some kind is left that no branch of a union of three takes. */
const oneToFour = { minLength: 1, maxLength: 4 };
const choices = (): fc.Arbitrary<Node> =>
  fc
    .tuple(
      fc.oneof(fc.uniqueArray(text(), oneToFour), fc.uniqueArray(fc.integer({ min: -9, max: 9 }), oneToFour)),
      fc.nat(3),
      pick,
    )
    .map(([values, chosen, at]) => {
      const first = values[0] as JsonValue;
      const other = typeof first === "string" ? `${values.join("")}x` : 10;
      return toNode({ enum: values }, [kindOf(first)], pickOf<JsonValue>(values, chosen), [other], at);
    });

function lists(depth: number): fc.Arbitrary<Node> {
  return fc.tuple(node(depth - 1), fc.nat(3), bound(2), bound(2), pick).map(([items, length, less, more, at]) => {
    const minItems = less === undefined ? undefined : Math.max(0, length - less);
    const maxItems = plus(length, more);
    const schema: JsonObject = { type: "array", items: items.schema, ...defined({ minItems, maxItems }) };
    const listOf = (count: number): JsonValue[] => Array.from({ length: count }, () => items.matching);
    const broken: JsonValue[] = [];
    if (minItems !== undefined && minItems > 0) broken.push(listOf(minItems - 1));
    if (maxItems !== undefined) broken.push(listOf(maxItems + 1));
    if (length > 0) broken.push([...listOf(length - 1), items.nonMatching]);
    return toNode(schema, ["array"], listOf(length), broken, at);
  });
}

function objects(depth: number): fc.Arbitrary<Node> {
  return fc.tuple(properties(depth - 1), fc.boolean(), pick).map(([drawn, isOpen, at]) => {
    const { schema, matching, broken } = layOut(drawn, isOpen);
    return toNode(schema, ["object"], matching, broken, at);
  });
}

function unions(depth: number): fc.Arbitrary<Node> {
  const branch = either(strings(), integers, constants, choices(), ...(depth > 1 ? [objects(depth - 1)] : []));
  return fc.tuple(fc.array(branch, { minLength: 1, maxLength: 3 }), pick).map(([branches, at]) => {
    const kinds = branches.flatMap((each) => each.kinds);
    const schema = { anyOf: branches.map((each) => each.schema) };
    return toNode(schema, kinds, pickOf(branches, at).matching, [], 0);
  });
}

interface Property {
  readonly key: string;
  readonly value: Node;
  readonly need: "required" | "present" | "absent";
}

function properties(depth: number): fc.Arbitrary<Property[]> {
  const need = fc.constantFrom("required" as const, "present" as const, "absent" as const);
  const property = fc.record({ key: word(), value: node(depth), need });
  return fc.uniqueArray(property, { maxLength: 4, selector: ({ key }) => key });
}

/** An object schema with a matching object, and every way to break it in one place. */
function layOut(drawn: readonly Property[], isOpen: boolean) {
  const required = drawn.filter(({ need }) => need === "required").map(({ key }) => key);
  const present = drawn.filter(({ need }) => need !== "absent").map(({ key, value }) => [key, value.matching] as const);
  const schema: JsonObject = {
    type: "object",
    properties: Object.fromEntries(drawn.map(({ key, value }) => [key, value.schema])),
    ...(required.length === 0 ? {} : { required }),
    ...(isOpen ? {} : { additionalProperties: false }),
  };
  const matching: JsonObject = Object.fromEntries(present);
  const broken: JsonObject[] = [
    ...required.map((missing) => Object.fromEntries(present.filter(([key]) => key !== missing))),
    ...drawn.map(({ key, value }) => ({ ...matching, [key]: value.nonMatching })),
    // Longer than any property name.
    ...(isOpen ? [] : [{ ...matching, unknown_property: 1 }]),
  ];
  return { schema, matching, broken };
}

/** `broken` are values of the right kind that do not match; one of another kind is added. */
function toNode(
  schema: JsonObject,
  kinds: readonly Kind[],
  matching: JsonValue,
  broken: readonly JsonValue[],
  at: number,
): Node {
  const other = SAMPLES.flatMap(([kind, value]) => (kinds.includes(kind) ? [] : [value]));
  return { schema, kinds, matching, nonMatching: pickOf([...other.slice(0, 1), ...broken], at) };
}

function kindOf(value: JsonValue): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as Exclude<Kind, "null" | "array">;
}

function pickOf<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}

function plus(bounded: number | undefined, step: number | undefined, sign = 1): number | undefined {
  return bounded === undefined || step === undefined ? undefined : bounded + sign * step;
}
