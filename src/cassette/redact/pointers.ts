// Replaces values at JSON pointers (RFC 6901), with `*` for any key or index. A pointer may lead into a text that holds JSON.

import type { JsonValue } from "../../core/index.js";

export type Segments = readonly string[];

type Replace = (value: JsonValue) => JsonValue;

/** Copies `value` and applies `replace` to every value that a pointer matches. Returns `value` itself if nothing changed. */
export function replaceAt(value: JsonValue, pointers: readonly Segments[], replace: Replace): JsonValue {
  return pointers.reduce<JsonValue>((before, pointer) => replaceOne(before, pointer, replace), value);
}

function replaceOne(value: JsonValue, segments: Segments, replace: Replace): JsonValue {
  const [segment, ...rest] = segments;
  if (segment === undefined) return replace(value);
  if (typeof value === "string") return inText(value, segments, replace);
  if (typeof value !== "object" || value === null) return value;
  const keys = Object.keys(value).filter((key) => segment === "*" || key === segment);
  let copy: Record<string, JsonValue> | JsonValue[] | undefined;
  for (const key of keys) {
    const before = (value as Record<string, JsonValue>)[key] as JsonValue;
    const after = replaceOne(before, rest, replace);
    if (after === before) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    (copy as Record<string, JsonValue>)[key] = after;
  }
  return copy ?? value;
}

function inText(text: string, segments: Segments, replace: Replace): JsonValue {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value = JSON.parse(text) as JsonValue;
    const after = replaceOne(value, segments, replace);
    return after === value ? text : JSON.stringify(after);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
