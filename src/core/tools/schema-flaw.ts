// Checks a tool's JSON Schema before the first turn. The validator would ignore a keyword with a wrong value, or throw at every call.
// Keywords are those of JSON Schema 2020-12 (core §10, validation §6) and of drafts 2019-09, 7 and 4. Others are annotations.

import { isPlainObject, type JsonValue } from "../canon/value.js";
import { toPointer } from "../canon/pointer.js";
import { showValue } from "../text/show.js";
import { thrownText } from "../text/thrown.js";

export interface SchemaFlaw {
  readonly pointer: string;
  readonly what: string;
}

type Place = readonly (string | number)[];
type Check = (value: JsonValue, place: Place, isDraft4: boolean) => SchemaFlaw | undefined;

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];

/** Finds the first flaw in `schema` or in a schema under its known keywords. */
export function findSchemaFlaw(schema: JsonValue, isDraft4 = false): SchemaFlaw | undefined {
  return checkSchema(schema, [], isDraft4);
}

const checkSchema: Check = (schema, place, isDraft4) => {
  if (typeof schema === "boolean") return undefined;
  if (!isPlainObject(schema)) return flaw(place, `${showValue(schema)} must be a schema: an object or a boolean`);
  return first(Object.entries(schema), ([key, value]) => KEYWORDS.get(key)?.(value, [...place, key], isDraft4));
};

const checkType: Check = (type, place) => {
  const names = Array.isArray(type) ? type : [type];
  const wrong = names.find((name) => !(TYPES as JsonValue[]).includes(name));
  if (names.length > 0 && wrong === undefined) return undefined;
  return flaw(place, `${showValue(wrong ?? type)} must be a type: ${TYPES.join(", ")}`);
};

function mustBe(what: string, isRight: (value: JsonValue) => boolean): Check {
  return (value, place) => (isRight(value) ? undefined : flaw(place, `${showValue(value)} must be ${what}`));
}

const checkPattern: Check = (pattern, place) =>
  typeof pattern === "string" ? compile(pattern, place) : flaw(place, `${showValue(pattern)} must be a pattern`);

const checkNames: Check = (names, place) => {
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return undefined;
  return flaw(place, `${Array.isArray(names) ? "it" : showValue(names)} must be a list of strings`);
};

const checkList = mustBe("a list", Array.isArray);
const checkText = mustBe("a string", (value) => typeof value === "string");
const checkNumber = mustBe("a number", (value) => typeof value === "number");
const checkDivisor = mustBe("a number above 0", (value) => typeof value === "number" && value > 0);
const checkCount = mustBe("a whole number of 0 or more", (value) => Number.isInteger(value) && (value as number) >= 0);

/** In draft 4, a boolean: whether the bound is excluded. */
const checkExclusive: Check = (value, place, isDraft4) =>
  isDraft4 && typeof value === "boolean" ? undefined : checkNumber(value, place, isDraft4);

const checkSchemas: Check = (list, place, isDraft4) => {
  if (!Array.isArray(list)) return flaw(place, `${showValue(list)} must be a list of schemas`);
  return first([...list.entries()], ([index, schema]) => checkSchema(schema, [...place, index], isDraft4));
};

/** Up to 2019-09, it may also be a list with a schema for each item. */
const checkItems: Check = (items, place, isDraft4) =>
  (Array.isArray(items) ? checkSchemas : checkSchema)(items, place, isDraft4);

const checkDependency: Check = (value, place, isDraft4) =>
  (Array.isArray(value) ? checkNames : checkSchema)(value, place, isDraft4);

const checkPatternProperties: Check = (map, place, isDraft4) =>
  eachValue(checkSchema)(map, place, isDraft4) ??
  first(Object.keys(map as object), (pattern) => compile(pattern, [...place, pattern]));

function eachValue(check: Check): Check {
  return (map, place, isDraft4) => {
    if (!isPlainObject(map)) return flaw(place, `${showValue(map)} must be an object`);
    return first(Object.entries(map as Record<string, JsonValue>), ([key, value]) =>
      check(value, [...place, key], isDraft4),
    );
  };
}

const KEYWORDS: ReadonlyMap<string, Check> = new Map([
  ...under(checkType, "type"),
  ...under(checkPattern, "pattern"),
  ...under(checkNames, "required"),
  ...under(checkList, "enum"),
  ...under(checkText, "format", "$ref"),
  ...under(checkNumber, "minimum", "maximum"),
  ...under(checkExclusive, "exclusiveMinimum", "exclusiveMaximum"),
  ...under(checkDivisor, "multipleOf"),
  ...under(checkCount, "minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"),
  ...under(checkCount, "minProperties", "maxProperties"),
  ...under(checkSchema, "additionalProperties", "unevaluatedProperties", "propertyNames"),
  ...under(checkSchema, "additionalItems", "unevaluatedItems", "contains", "not", "if", "then", "else"),
  ...under(checkSchemas, "allOf", "anyOf", "oneOf", "prefixItems"),
  ...under(checkItems, "items"),
  ...under(eachValue(checkSchema), "properties", "dependentSchemas", "$defs", "definitions"),
  ...under(checkPatternProperties, "patternProperties"),
  ...under(eachValue(checkNames), "dependentRequired"),
  ...under(eachValue(checkDependency), "dependencies"),
]);

function under(check: Check, ...keywords: string[]): [string, Check][] {
  return keywords.map((keyword) => [keyword, check]);
}

/** Compiles with the flag `u`, as the validator does. */
function compile(pattern: string, place: Place): SchemaFlaw | undefined {
  try {
    new RegExp(pattern, "u");
    return undefined;
  } catch (error) {
    return flaw(place, thrownText(error));
  }
}

function first<T>(items: readonly T[], check: (item: T) => SchemaFlaw | undefined): SchemaFlaw | undefined {
  for (const item of items) {
    const found = check(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function flaw(place: Place, what: string): SchemaFlaw {
  return { pointer: toPointer(place), what };
}
