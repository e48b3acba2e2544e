// Arguments for any JSON Schema, as far as its keywords can be drawn from. The first keyword that cannot is named.

import fc from "fast-check";
import { FORBIDDEN_KEYS, isPlainObject, toPointer, type JsonObject, type JsonValue } from "../../core/index.js";
import { either } from "./either.js";
import { jsonValue, TRAP_KEYS } from "./json.js";
import { text, word } from "./text.js";

/** `unsupported`: the first keyword that nothing is drawn from, and its place in the schema (RFC 6901). */
export type SchemaArguments =
  | { readonly kind: "values"; readonly values: fc.Arbitrary<JsonObject> }
  | { readonly kind: "unsupported"; readonly keyword: string; readonly pointer: string };

class Unsupported extends Error {
  readonly keyword: string;
  readonly pointer: string;

  constructor(keyword: string, pointer: string) {
    super(`${keyword} at ${pointer}`);
    this.keyword = keyword;
    this.pointer = pointer;
  }
}

/**
 * Objects that match `schema`. A value for `oneOf` may match two branches, and then does not match the schema. Shrinks to few
 * properties with small values.
 */
export function argumentsFor(schema: JsonObject): SchemaArguments {
  try {
    const values = valuesOf(schema["type"] === undefined ? { ...schema, type: "object" } : schema, "");
    if (schema["type"] !== undefined && schema["type"] !== "object") throw new Unsupported("type", "");
    return { kind: "values", values: values as fc.Arbitrary<JsonObject> };
  } catch (error) {
    if (error instanceof Unsupported) return { kind: "unsupported", keyword: error.keyword, pointer: error.pointer };
    throw error;
  }
}

const ANNOTATIONS = [
  ...["$schema", "$id", "$comment", "title", "description", "default", "examples"],
  ...["deprecated", "readOnly", "writeOnly"],
];

const KEYWORDS = {
  null: [],
  boolean: [],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  string: ["minLength", "maxLength", "pattern", "format"],
  array: ["items", "minItems", "maxItems", "uniqueItems"],
  object: ["properties", "required", "additionalProperties"],
} as const;
type TypeName = keyof typeof KEYWORDS;

type Draw = (schema: JsonObject, pointer: string) => fc.Arbitrary<JsonValue>;

function valuesOf(schema: JsonValue, pointer: string): fc.Arbitrary<JsonValue> {
  if (schema === true) return jsonValue();
  if (!isPlainObject(schema)) throw new Unsupported("false", pointer);
  const { const: only, enum: some, anyOf, oneOf, type = impliedType(schema) } = schema;
  if (only !== undefined) return alone(schema, pointer, ["const", "type"], fc.constant(only));
  if (Array.isArray(some) && some.length > 0) return alone(schema, pointer, ["enum", "type"], fc.constantFrom(...some));
  for (const [keyword, branches] of Object.entries({ anyOf, oneOf })) {
    if (!Array.isArray(branches) || branches.length === 0) continue;
    const drawn = branches.map((branch, index) =>
      valuesOf(type === undefined ? branch : narrow(branch, type, pointer), `${pointer}/${keyword}/${index}`),
    );
    return alone(schema, pointer, [keyword, "type"], fc.oneof(...drawn));
  }
  if (type === undefined) return alone(schema, pointer, [], jsonValue());
  const names = Array.isArray(type) ? type : [type];
  return fc.oneof(...names.map((name) => valuesOfType(name, schema, pointer, names.length > 1)));
}

function narrow(branch: JsonValue, type: JsonValue, pointer: string): JsonValue {
  if (!isPlainObject(branch)) throw new Unsupported("type", pointer);
  const own = branch["type"] ?? type;
  if (own !== type) throw new Unsupported("type", pointer);
  return { ...branch, type };
}

/** `values`; throws when `schema` has other keywords than these. */
function alone<T>(schema: JsonObject, pointer: string, keywords: readonly string[], values: T): T {
  const other = Object.keys(schema).find((key) => !ANNOTATIONS.includes(key) && !keywords.includes(key));
  if (other !== undefined) throw new Unsupported(other, pointer);
  return values;
}

function impliedType(schema: JsonObject): TypeName | undefined {
  const types = Object.keys(KEYWORDS) as TypeName[];
  return types.find((type) => (KEYWORDS[type] as readonly string[]).some((keyword) => schema[keyword] !== undefined));
}

function valuesOfType(
  name: JsonValue,
  schema: JsonObject,
  pointer: string,
  isOneOfMany: boolean,
): fc.Arbitrary<JsonValue> {
  if (typeof name !== "string" || !Object.hasOwn(KEYWORDS, name)) throw new Unsupported("type", pointer);
  const own = KEYWORDS[name as TypeName] as readonly string[];
  const others = isOneOfMany ? Object.values(KEYWORDS).flat() : [];
  return alone(schema, pointer, ["type", ...own, ...others], DRAW[name as TypeName](schema, pointer));
}

const DRAW: Readonly<Record<TypeName, Draw>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: drawInteger,
  number: drawNumber,
  string: drawString,
  array: drawArray,
  object: drawObject,
};

function drawInteger(schema: JsonObject, pointer: string): fc.Arbitrary<JsonValue> {
  const step = numberOf(schema, "multipleOf") ?? 1;
  if (!Number.isInteger(step)) throw new Unsupported("multipleOf", pointer);
  const over = numberOf(schema, "exclusiveMinimum") ?? -Infinity;
  const under = numberOf(schema, "exclusiveMaximum") ?? Infinity;
  const least = Math.max(numberOf(schema, "minimum") ?? -Infinity, Math.floor(over) + 1);
  const most = Math.min(numberOf(schema, "maximum") ?? Infinity, Math.ceil(under) - 1);
  const min = Math.ceil(Math.max(least, Number.MIN_SAFE_INTEGER) / step);
  const max = Math.floor(Math.min(most, Number.MAX_SAFE_INTEGER) / step);
  if (min > max) throw new Unsupported("minimum", pointer);
  return fc.integer({ min, max }).map((count) => count * step + 0);
}

function drawNumber(schema: JsonObject, pointer: string): fc.Arbitrary<JsonValue> {
  const over = numberOf(schema, "exclusiveMinimum") ?? -Infinity;
  const under = numberOf(schema, "exclusiveMaximum") ?? Infinity;
  const min = Math.max(numberOf(schema, "minimum") ?? -Number.MAX_VALUE, over);
  const max = Math.min(numberOf(schema, "maximum") ?? Number.MAX_VALUE, under);
  if (min > max || (min === max && (min === over || max === under))) throw new Unsupported("minimum", pointer);
  return fc
    .double({ min, max, minExcluded: min === over, maxExcluded: max === under, noNaN: true })
    .map((number) => (number === 0 ? 0 : number));
}

/** Texts of a format are some tens of characters long, so they are drawn only where the bounds leave this room. */
const ROOM = 256;

function drawString(schema: JsonObject, pointer: string): fc.Arbitrary<JsonValue> {
  const { pattern, format } = schema;
  const min = numberOf(schema, "minLength") ?? 0;
  const max = numberOf(schema, "maxLength") ?? Infinity;
  if (min > max) throw new Unsupported("minLength", pointer);
  if (pattern === undefined && format === undefined) return ofLength(min, max);
  const keyword = pattern === undefined ? "format" : "pattern";
  const isBoth = pattern !== undefined && format !== undefined;
  if (isBoth || min > 1 || max < ROOM) throw new Unsupported(keyword, pointer);
  const texts = pattern === undefined ? ofFormat(format, pointer) : ofPattern(pattern, pointer);
  return texts.filter((drawn) => drawn.length >= min && drawn.length <= max);
}

/** Longer texts are not drawn, even where the schema allows them. */
const MOST_CHARACTERS = 10_000;

/** Often short, sometimes as long as allowed: code that cuts or pads goes wrong at the bound. */
function ofLength(min: number, max: number): fc.Arbitrary<string> {
  const most = Math.min(max, min + 20);
  const texts = text({ maxLength: most });
  const padded = (least: number) => (drawn: string) =>
    drawn + "a".repeat(Math.max(0, least - Array.from(drawn).length));
  const usual = min === 0 ? texts : texts.map(padded(min));
  if (max === most || max > MOST_CHARACTERS) return usual;
  return either([7, usual], texts.map(padded(max)));
}

function ofPattern(pattern: JsonValue, pointer: string): fc.Arbitrary<string> {
  try {
    if (typeof pattern === "string") return fc.stringMatching(new RegExp(pattern, "u"));
  } catch {
    // An expression that fast-check does not draw from, such as one that looks behind itself.
  }
  throw new Unsupported("pattern", pointer);
}

function ofFormat(format: JsonValue | undefined, pointer: string): fc.Arbitrary<string> {
  const draw = typeof format === "string" ? FORMATS.get(format) : undefined;
  if (draw === undefined) throw new Unsupported("format", pointer);
  return draw();
}

const groups = (): fc.Arbitrary<number[]> => fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });
const moment = (): fc.Arbitrary<string> =>
  fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString());

const FORMATS: ReadonlyMap<string, () => fc.Arbitrary<string>> = new Map([
  ["email", () => word().map((name) => `${name}@example.com`)],
  ["uri", () => fc.webUrl()],
  ["url", () => fc.webUrl()],
  ["uuid", () => fc.uuid()],
  ["date-time", moment],
  ["date", () => moment().map((date) => date.slice(0, 10))],
  ["ipv4", () => fc.ipV4()],
  ["ipv6", () => groups().map((drawn) => drawn.map((group) => group.toString(16)).join(":"))],
]);

/** A list that may hold more items is not drawn full. */
const MOST_ITEMS = 100;

function drawArray(schema: JsonObject, pointer: string): fc.Arbitrary<JsonValue> {
  const items = valuesOf(schema["items"] ?? true, `${pointer}/items`);
  const minLength = numberOf(schema, "minItems") ?? 0;
  const most = numberOf(schema, "maxItems") ?? Infinity;
  const maxLength = Math.min(most, minLength + 4);
  if (minLength > maxLength) throw new Unsupported("minItems", pointer);
  if (schema["uniqueItems"] !== true) {
    const usual = fc.array(items, { minLength, maxLength });
    if (most === maxLength || most > MOST_ITEMS) return usual;
    const full = fc.array(items, { minLength: most, maxLength: most });
    return either([7, usual], full);
  }
  // An enumeration may hold fewer values than the list must have.
  if (minLength > 0) throw new Unsupported("uniqueItems", pointer);
  return fc.uniqueArray(items, { maxLength, selector: (item) => JSON.stringify(item) });
}

function drawObject(schema: JsonObject, pointer: string): fc.Arbitrary<JsonValue> {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (!isPlainObject(properties) || !Array.isArray(required)) throw new Unsupported("properties", pointer);
  const known = Object.fromEntries(
    Object.entries(properties)
      // No call brings a tool such a key.
      .filter(([key]) => !FORBIDDEN_KEYS.includes(key))
      .map(([key, value]) => [key, valuesOf(value, pointer + toPointer(["properties", key]))]),
  );
  const isKnown = (key: JsonValue): key is string => typeof key === "string" && Object.hasOwn(known, key);
  const requiredKeys = required.filter(isKnown);
  if (requiredKeys.length < required.length) throw new Unsupported("required", pointer);
  const drawn = fc.record(known, { requiredKeys, noNullPrototype: true });
  if (additionalProperties === false) return drawn;
  const isOpen = additionalProperties === undefined || additionalProperties === true;
  const more = isOpen
    ? either<JsonValue>(fc.constant(null), [4, jsonValue()])
    : valuesOf(additionalProperties, `${pointer}/additionalProperties`);
  const name = either(word(), fc.constantFrom(...OTHER_KEYS));
  const otherName = name.filter((key) => !Object.hasOwn(properties, key));
  const others = fc.dictionary(otherName, more, { maxKeys: 3, noNullPrototype: true });
  // Where a schema is silent about other properties, a model may write some.
  const rarely = either<JsonObject>(fc.constant({}), others);
  return fc.tuple(drawn, isOpen ? rarely : others).map(([own, other]) => ({ ...other, ...own }));
}

/** Names that every object already has, and names that are easily taken for absent. */
const OTHER_KEYS = TRAP_KEYS.filter((key) => !FORBIDDEN_KEYS.includes(key));

function numberOf(schema: JsonObject, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" ? value : undefined;
}
