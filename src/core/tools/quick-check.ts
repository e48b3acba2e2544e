// A fast path for plain schemas, which most tools have. It can only accept arguments. Everything else goes to the validator, which
// decides and gives the reason.

import { isPlainObject, type JsonObject } from "../canon/value.js";

/** Returns true only if the validator would also accept the value. */
export type QuickCheck = (value: unknown) => boolean;

/** Keywords that accept everything. */
const ANNOTATIONS: ReadonlySet<string> = new Set(["title", "description", "default", "examples"]);

/** Creates a quick check. Undefined for a schema with a keyword that it does not support. */
export function createQuickCheck(schema: unknown): QuickCheck | undefined {
  if (!isPlainObject(schema)) return undefined;
  const { type, properties, required, additionalProperties, items, ...others } = schema as JsonObject;
  if (!Object.keys(others).every((keyword) => ANNOTATIONS.has(keyword))) return undefined;
  switch (type) {
    case "object":
      return items === undefined ? createObjectCheck(schema as JsonObject) : undefined;
    case "array":
      return [properties, required, additionalProperties].every((keyword) => keyword === undefined)
        ? createArrayCheck(items)
        : undefined;
    default:
      if (Object.keys(schema).length !== Object.keys(others).length + 1) return undefined;
      return typeof type === "string" && Object.hasOwn(PRIMITIVES, type) ? PRIMITIVES[type] : undefined;
  }
}

const PRIMITIVES: Readonly<Record<string, QuickCheck>> = {
  string: (value) => typeof value === "string",
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};

function createObjectCheck({
  properties = {},
  required = [],
  additionalProperties,
}: JsonObject): QuickCheck | undefined {
  if (!isPlainObject(properties) || !Array.isArray(required)) return undefined;
  if (additionalProperties !== undefined && typeof additionalProperties !== "boolean") return undefined;
  const checks = new Map<string, QuickCheck>();
  for (const [key, schema] of Object.entries(properties)) {
    const check = createQuickCheck(schema);
    if (check === undefined) return undefined;
    checks.set(key, check);
  }
  const needed = required.filter((key) => typeof key === "string");
  if (needed.length !== required.length) return undefined;
  return (value) => {
    if (!isPlainObject(value)) return false;
    for (const key of needed) if (!Object.hasOwn(value, key)) return false;
    for (const key of Object.keys(value)) {
      const check = checks.get(key);
      if (check === undefined ? additionalProperties === false : !check(value[key])) return false;
    }
    return true;
  };
}

function createArrayCheck(items: unknown): QuickCheck | undefined {
  if (items === undefined) return Array.isArray;
  const check = createQuickCheck(items);
  return check === undefined ? undefined : (value) => Array.isArray(value) && value.every(check);
}
