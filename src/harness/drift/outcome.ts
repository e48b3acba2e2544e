// Whether a run succeeded, where its recording says so: `extensions.outcome` of our own recordings, or the outcome an
// importer kept in `extensions.import.outcome`.

import type { Cassette } from "../../cassette/index.js";
import { isPlainObject } from "../../core/index.js";

/** Where a benchmark says it, in the order they are tried: RFC 6901 pointers into the outcome. */
const DEFAULT_POINTERS = ["/success", "/utility", "/passed", "/resolved", "/reward"];

/**
 * True or false, or a number that is 1 for success; anything else says nothing. `pointer` looks in that one place only. A run
 * that recorded an `error` and no `success` (null) says nothing, whatever else stands beside them: it is never a success.
 */
export function successOf(cassette: Cassette, pointer?: string): boolean | undefined {
  if (cassette.version === 1) return undefined;
  const imported = cassette.extensions?.["import"];
  const outcomes = [cassette.extensions?.["outcome"], isPlainObject(imported) ? imported["outcome"] : undefined];
  if (pointer === undefined && outcomes.some(isBrokenOff)) return undefined;
  for (const place of pointer === undefined ? DEFAULT_POINTERS : [pointer]) {
    for (const outcome of outcomes) {
      const value = valueAt(outcome, place);
      if (typeof value === "boolean") return value;
      if (typeof value === "number") return value === 1;
    }
  }
  return undefined;
}

function isBrokenOff(outcome: unknown): boolean {
  return isPlainObject(outcome) && outcome["success"] === null && (outcome["error"] ?? null) !== null;
}

/** True for "" and for what begins with "/" and has no broken escape (RFC 6901 §3). */
export function isPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !/~(?![01])/.test(text));
}

function valueAt(value: unknown, pointer: string): unknown {
  let place = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, key)) return undefined;
    place = (place as Record<string, unknown>)[key];
  }
  return place;
}
