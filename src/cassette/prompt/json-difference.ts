// The differences of two JSON values by JSON pointer (RFC 6901). Arrays are compared by index. An `undefined` value is absent.

import { defined, toPointer, type JsonObject, type JsonValue } from "../../core/index.js";

/** One difference. Without `old` the value was added, without `new` it was removed. */
export interface ValueChange {
  /** JSON pointer; "" is the whole value. */
  pointer: string;
  old?: JsonValue;
  new?: JsonValue;
}

/** Every difference, object keys in sorted order. Empty exactly if the canonical texts are equal. */
export function diffValues(a: JsonValue, b: JsonValue): ValueChange[] {
  const found: ValueChange[] = [];
  walk(a, b, [], found, Infinity);
  return found;
}

/** The first of `diffValues`. The walk ends there. */
export function firstDifference(a: MaybeJson, b: MaybeJson): ValueChange | undefined {
  const found: ValueChange[] = [];
  walk(a, b, [], found, 1);
  return found[0];
}

type MaybeJson = JsonValue | undefined;

function walk(a: MaybeJson, b: MaybeJson, path: (string | number)[], found: ValueChange[], limit: number): void {
  if (a === b) return;
  const keys = sharedKeys(a, b);
  if (keys === undefined) {
    found.push({ pointer: toPointer(path), ...defined({ old: a, new: b }) });
    return;
  }
  for (const key of keys) {
    path.push(key);
    walk(own(a, key), own(b, key), path, found, limit);
    path.pop();
    if (found.length >= limit) return;
  }
}

/** The keys of two arrays or two objects. Undefined for other values, which differ as a whole. */
function sharedKeys(a: MaybeJson, b: MaybeJson): Iterable<string | number> | undefined {
  if (Array.isArray(a) && Array.isArray(b)) return (a.length < b.length ? b : a).keys();
  if (!isObject(a) || !isObject(b)) return undefined;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
}

function isObject(value: MaybeJson): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function own(container: MaybeJson, key: string | number): MaybeJson {
  return Object.hasOwn(container as object, key) ? (container as JsonObject)[key] : undefined;
}

/** The share of two JSON texts that is equal at their beginnings and ends. */
export function likenessOf(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return 0;
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  const [shorter, longer] = [Math.min(left.length, right.length), Math.max(left.length, right.length)];
  let start = 0;
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
  return (start + end) / longer;
}
