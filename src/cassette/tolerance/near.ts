// Decides which values are near enough for a tolerance that has no normal form: `numeric` and `ignoreExtra`.

import { canonicalize, type JsonObject, type JsonValue } from "../../core/index.js";
import { unnamedDefault } from "./normal.js";
import type { Place } from "./places.js";
import { isScalar } from "./steps.js";

/** Whether two normal forms are tolerated as equal. Reflexive and symmetric, but not transitive. */
export function isAlike(a: JsonValue, b: JsonValue, place: Place | undefined): boolean {
  if (a === b) return true;
  if (place === undefined) return canonicalize(a) === canonicalize(b);
  if (typeof a === "number" && typeof b === "number") return isNear(a, b, place);
  if (isScalar(a) || isScalar(b)) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => isAlike(item, b[index] as JsonValue, place.child(String(index))));
  }
  return areObjectsAlike(a, b, place);
}

function areObjectsAlike(a: JsonObject, b: JsonObject, place: Place): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => {
    const absent = unnamedDefault(place, key);
    const [old, now] = [a, b].map((object) => (Object.hasOwn(object, key) ? object[key] : absent));
    if (old === undefined || now === undefined) return place.ignoreExtra !== undefined;
    return isAlike(old, now, place.child(key));
  });
}

export function isNear(a: number, b: number, place: Place): boolean {
  return place.numeric.some(({ tolerance: { absolute, relative } }) => {
    const allowed = Math.max(absolute, relative * Math.max(Math.abs(a), Math.abs(b)));
    return Math.abs(a - b) <= allowed;
  });
}
