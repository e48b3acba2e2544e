// Endless references of a JSON Schema: they lead back to themselves without going into a value, such as {"$ref": "#"}. A check of them
// never ends (JSON Schema 2020-12 core §9.4.1 forbids such schemas).

import { eachSchema, isPlainObject, type JsonObject, type JsonValue } from "../../core/index.js";

/** Keywords whose schemas look at the same value as the schema around them. */
const SINGLE = ["not", "if", "then", "else"];
const LISTS = ["allOf", "anyOf", "oneOf"];

/** The reference that closes a circle; undefined when every check ends. */
export function findEndlessReference(root: JsonObject): string | undefined {
  const [open, done] = [new Set<JsonObject>(), new Set<JsonObject>()];
  const visit = (schema: JsonValue | undefined): string | undefined => {
    if (!isPlainObject(schema) || done.has(schema)) return undefined;
    open.add(schema);
    for (const [reference, inner] of sameValue(schema, root)) {
      const found = isPlainObject(inner) && open.has(inner) ? (reference ?? "#") : visit(inner);
      if (found !== undefined) return found;
    }
    open.delete(schema);
    done.add(schema);
    return undefined;
  };
  let found: string | undefined;
  eachSchema(root, (schema) => {
    found ??= visit(schema);
  });
  return found;
}

/** The schemas that look at the same value, each with the reference that led there. */
function sameValue(schema: JsonObject, root: JsonObject): [string | undefined, JsonValue | undefined][] {
  const { $ref, dependentSchemas } = schema;
  const lists = LISTS.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : []));
  const maps = isPlainObject(dependentSchemas) ? Object.values(dependentSchemas) : [];
  const inner = [...SINGLE.map((keyword) => schema[keyword]), ...lists, ...maps];
  const plain = inner.map((each): [undefined, JsonValue | undefined] => [undefined, each]);
  return typeof $ref === "string" ? [[$ref, resolve($ref, root)], ...plain] : plain;
}

/** Resolves pointers into the schema itself; only the validator follows an anchor or an `$id`. */
function resolve(reference: string, root: JsonObject): JsonValue | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let place: JsonValue | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, key)) return undefined;
    place = (place as Record<string, JsonValue>)[key];
  }
  return place;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
