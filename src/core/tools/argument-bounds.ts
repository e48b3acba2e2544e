// Bounds the time of an argument check. It caps the size of arguments, and rewrites keywords with more than linear cost to accept
// short input only. A `pattern` comes from the tool and runs unchanged.

import { format as FORMATS } from "@cfworker/json-schema";
import { isPlainObject, type JsonObject, type JsonValue } from "../canon/value.js";
import {
  MAX_ARGUMENT_CHARACTERS,
  MAX_ARGUMENT_VALUES,
  MAX_FORMAT_LENGTH,
  MAX_UNIQUE_CONTAINERS,
  MAX_UNIQUE_ITEMS,
} from "../limits.js";

/** Describes the limit that `args` exceed, as a clause. It stops counting at the limit, so it also ends on a cycle. */
export function findExcess(args: unknown): string | undefined {
  let characters = 0;
  let values = 0;
  const open: unknown[] = [args];
  while (open.length > 0) {
    const value = open.pop();
    values += 1;
    if (typeof value === "string") characters += value.length;
    if (Array.isArray(value)) {
      if (value.length > MAX_ARGUMENT_VALUES) return TOO_MANY;
      for (const item of value) open.push(item);
    } else if (isPlainObject(value)) {
      for (const key of Object.keys(value)) {
        const item = value[key];
        characters += key.length;
        if (typeof item === "string" || (typeof item === "object" && item !== null)) open.push(item);
        else values += 1;
      }
    }
    if (values + open.length > MAX_ARGUMENT_VALUES) return TOO_MANY;
    if (characters > MAX_ARGUMENT_CHARACTERS) return `have more than ${MAX_ARGUMENT_CHARACTERS} characters in strings`;
  }
  return undefined;
}

const TOO_MANY = `have more than ${MAX_ARGUMENT_VALUES} values`;

/** Keywords whose value is data, not a schema. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(["const", "default", "dependentRequired", "enum"]);
/** Keywords whose value maps names to schemas. */
const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** Calls `visit` with each object schema, inner ones first. Does not follow references. */
export function eachSchema(schema: JsonValue, visit: (schema: JsonObject) => void): void {
  const into = (inner: JsonValue): void => eachSchema(inner, visit);
  if (Array.isArray(schema)) schema.forEach(into);
  if (!isPlainObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if (DATA_KEYWORDS.has(key)) continue;
    if (MAP_KEYWORDS.has(key) && isPlainObject(value)) Object.values(value).forEach(into);
    else into(value);
  }
  visit(schema);
}

/** Rewrites `format` and `uniqueItems` in a schema and all schemas in it, in place. */
export function boundSchema(schema: JsonValue): void {
  eachSchema(schema, boundOne);
}

function boundOne(schema: JsonObject): void {
  const bounds = [...boundFormat(schema), ...boundUniqueItems(schema)];
  if (bounds.length === 0) return;
  const { allOf = [] } = schema;
  // Appended, so that a $ref to an existing entry by index still works. The validator refuses an allOf that is not a list.
  if (Array.isArray(allOf)) schema["allOf"] = [...allOf, ...bounds];
}

function boundFormat(schema: JsonObject): JsonObject[] {
  const { format } = schema;
  if (typeof format !== "string") return [];
  delete schema["format"];
  // An unknown format is an annotation (JSON Schema 2020-12 §7.2.3); the validator would look it up in the prototype.
  if (!Object.hasOwn(FORMATS, format)) return [];
  const then = format === "url" ? { pattern: URL_PATTERN } : { format };
  return [{ if: { maxLength: MAX_FORMAT_LENGTH }, then, else: { maxLength: MAX_FORMAT_LENGTH } }];
}

/** Replaces the validator's expression for `url`, which takes exponential time: 38 characters hang the process. */
const URL_PATTERN = String.raw`^(?:[Hh][Tt][Tt][Pp][Ss]?|[Ff][Tt][Pp])://[^\s/?#]+(?:[/?#]\S*)?$`;

function boundUniqueItems(schema: JsonObject): JsonObject[] {
  // The validator treats any truthy value as true.
  if (!schema["uniqueItems"]) return [];
  delete schema["uniqueItems"];
  const holdsContainers = { contains: { type: ["array", "object"] } };
  const most = (maxItems: number) => ({
    if: { maxItems },
    then: { uniqueItems: true },
    else: { maxItems },
  });
  return [{ if: { not: holdsContainers }, then: most(MAX_UNIQUE_ITEMS), else: most(MAX_UNIQUE_CONTAINERS) }];
}
