// Finds where two JSON Schemas of one tool differ, whether that breaks calls that were valid, and which arguments it affects. Keywords are
// those of JSON Schema 2020-12 and draft 7. Lists that stand for a set (`required`, `enum`, `type`) are compared as sets.

import {
  canonicalize,
  defined,
  isPlainObject,
  parsePointer,
  shorten,
  toPointer,
  type JsonObject,
  type JsonValue,
} from "../../core/index.js";
import type { ValueChange } from "../prompt/json-difference.js";

export interface SchemaChange extends ValueChange {
  /** `schema-rewritten`: both mean the same. `description-changed`: only words, so no call is valid or invalid for it. */
  kind: "schema-changed" | "schema-rewritten" | "description-changed";
  /** Why a call that was valid may not be any more; absent where none can be seen to be. */
  breaking?: string;
}

type Maybe = JsonValue | undefined;
type Path = readonly (string | number)[];

const SETS = new Set(["required", "enum", "type"]);
const TEXTS = new Set(["description", "title", "examples", "$comment"]);
/** Keywords whose value maps names to schemas. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Bounds for which a higher number allows less. */
const LOWER_BOUNDS = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"]);
const UPPER_BOUNDS = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"]);

/** Every differing place, keys in sorted order. */
export function schemaChanges(old: JsonValue, now: JsonValue): SchemaChange[] {
  const found: SchemaChange[] = [];
  walk(old, now, [], false, found);
  return found;
}

function walk(old: Maybe, now: Maybe, path: Path, isMap: boolean, found: SchemaChange[]): void {
  if (old !== undefined && now !== undefined && canonicalize(old) === canonicalize(now)) return;
  const key = path.at(-1);
  const keyword = isMap || typeof key !== "string" ? undefined : key;
  const isLeaf = keyword !== undefined && (SETS.has(keyword) || TEXTS.has(keyword) || keyword === "const");
  const isMapNow = keyword !== undefined && MAPS.has(keyword);
  if (!isLeaf && isPlainObject(old) && isPlainObject(now)) {
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
    for (const name of names) walk(own(old, name), own(now, name), [...path, name], isMapNow, found);
    return;
  }
  if (!isLeaf && Array.isArray(old) && Array.isArray(now)) {
    const length = Math.max(old.length, now.length);
    for (let index = 0; index < length; index++) walk(old[index], now[index], [...path, index], false, found);
    return;
  }
  const breaking = breakingOf(keyword, isMap && path.at(-2) === "properties", old, now);
  found.push({ kind: kindOf(keyword, old, now), pointer: toPointer(path), ...defined({ old, new: now, breaking }) });
}

function kindOf(keyword: string | undefined, old: Maybe, now: Maybe): SchemaChange["kind"] {
  if (keyword !== undefined && TEXTS.has(keyword)) return "description-changed";
  return keyword !== undefined && SETS.has(keyword) && isSameSet(old, now) ? "schema-rewritten" : "schema-changed";
}

function own(holder: JsonObject, key: string): Maybe {
  return Object.hasOwn(holder, key) ? holder[key] : undefined;
}

function isSameSet(old: Maybe, now: Maybe): boolean {
  if (old === undefined || now === undefined) return false;
  const [before, after] = [asSet(old), asSet(now)];
  return before.size === after.size && [...before].every((item) => after.has(item));
}

function asSet(value: JsonValue): Set<string> {
  return new Set((Array.isArray(value) ? value : [value]).map((item) => canonicalize(item)));
}

/** Returns the values of `to` that are not in `from`, as JSON text. */
function lacking(from: JsonValue, to: JsonValue): string[] {
  const known = asSet(from);
  return [...asSet(to)].filter((item) => !known.has(item));
}

function breakingOf(keyword: string | undefined, isProperty: boolean, old: Maybe, now: Maybe): string | undefined {
  if (isProperty) return now === undefined ? "the property is gone" : undefined;
  if (now === undefined) return undefined;
  switch (keyword) {
    case "required": {
      const names = lacking(old ?? [], now);
      return names.length === 0 ? undefined : `required now: ${listText(names)}`;
    }
    case "enum": {
      if (old === undefined) return "only some values are allowed now";
      const gone = lacking(now, old);
      return gone.length === 0 ? undefined : `no longer allowed: ${listText(gone)}`;
    }
    case "type": {
      if (old === undefined) return "the type is narrower";
      const taken = asSet(now);
      // Every integer is a number.
      const gone = lacking(now, old).filter((type) => !(type === '"integer"' && taken.has('"number"')));
      return gone.length === 0 ? undefined : "the type is narrower";
    }
    case "const":
      return "only one value is allowed now";
    case "additionalProperties":
      return now === false ? "other properties are no longer allowed" : undefined;
    case "pattern":
    case "format":
      return "text must have another form";
    default:
      return boundOf(keyword, old, now);
  }
}

const SHOWN_CHARACTERS = 80;

function listText(items: readonly string[]): string {
  return shorten(items.join(", "), SHOWN_CHARACTERS);
}

function boundOf(keyword: string | undefined, old: Maybe, now: Maybe): string | undefined {
  if (keyword === undefined || typeof now !== "number") return undefined;
  const before = typeof old === "number" ? old : undefined;
  const isTighter =
    (LOWER_BOUNDS.has(keyword) && (before === undefined || now > before)) ||
    (UPPER_BOUNDS.has(keyword) && (before === undefined || now < before));
  return isTighter ? "the bound is tighter" : undefined;
}

/** Keywords with a schema for the same value, and how many tokens of the pointer they take. */
const SAME_VALUE: ReadonlyMap<string, number> = new Map([
  ["allOf", 2],
  ["anyOf", 2],
  ["oneOf", 2],
  ["if", 1],
  ["then", 1],
  ["else", 1],
  ["not", 1],
]);
/** Keywords with a schema for each item. */
const ITEMS = new Set(["items", "additionalItems", "contains", "unevaluatedItems"]);
/** Keywords for which a pointer does not name the affected argument. */
const ELSEWHERE = new Set([...MAPS, "additionalProperties", "unevaluatedProperties", "propertyNames"]);

/** The places in arguments that a changed schema concerns, as tokens with `*` for any key. Empty for shared definitions. */
export function placesOf({ pointer, old, new: now }: ValueChange): string[][] {
  const tokens = parsePointer(pointer) ?? [];
  const place: string[] = [];
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at] as string;
    const skip = SAME_VALUE.get(token);
    if ((token === "properties" || token === "prefixItems") && at + 1 < tokens.length) {
      place.push(tokens[at + 1] as string);
      at += 2;
    } else if (ITEMS.has(token)) {
      place.push("*");
      at += /^\d+$/.test(tokens[at + 1] ?? "") ? 2 : 1;
    } else if (token === "properties") {
      // All of them were added or removed at once.
      return namesOf(old, now).map((name) => [...place, name]);
    } else if (token === "required") {
      const names = [...lacking(old ?? [], now ?? []), ...lacking(now ?? [], old ?? [])];
      return names.map((name) => [...place, String(JSON.parse(name))]);
    } else if (skip !== undefined && at + skip < tokens.length) {
      at += skip;
    } else {
      return ELSEWHERE.has(token) || place.length === 0 ? [] : [place];
    }
  }
  // A property was added or removed, or the whole schema was, which affects every argument.
  return [place];
}

function namesOf(...sides: Maybe[]): string[] {
  return [...new Set(sides.flatMap((side) => (isPlainObject(side) ? Object.keys(side) : [])))];
}
