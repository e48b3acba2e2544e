// The normal form of a value. Values that are tolerated as equal share it, so they can be looked up by its text. `numeric` and
// `ignoreExtra` have no normal form, because they are not transitive: candidates share a skeleton, and `isAlike` decides.

import { canonicalize, setOwn, type JsonObject, type JsonValue } from "../../core/index.js";
import type { Place } from "./places.js";
import { applySteps, isScalar } from "./steps.js";

/** `pruned`: without the ignored places, otherwise unchanged. */
export type Form = "normal" | "pruned";

/** The value in a form. Shares the parts that no rule touches with `value`. */
export function toForm(value: JsonValue, place: Place | undefined, form: Form): JsonValue {
  if (place === undefined) return value;
  if (isScalar(value)) return form === "normal" ? applySteps(place.steps, value) : value;
  return Array.isArray(value) ? listForm(value, place, form) : objectForm(value, place, form);
}

function objectForm(object: JsonObject, place: Place, form: Form): JsonObject {
  const result: JsonObject = {};
  const put = (key: string, value: JsonValue): void => {
    const inner = place.child(key);
    if (inner?.ignore !== undefined) return;
    const formed = toForm(value, inner, form);
    const absent = form === "normal" ? unnamedDefault(place, key) : undefined;
    if (absent === undefined || canonicalize(absent) !== canonicalize(formed)) setOwn(result, key, formed);
  };
  for (const key of Object.keys(object)) if (object[key] !== undefined) put(key, object[key]);
  if (form === "pruned") return result;
  for (const [key, value] of place.defaults) if (ownValue(object, key) === undefined) put(key, value);
  return result;
}

/** The default for an absent key of any name, in normal form. It is left out rather than filled in, as such names are countless. */
export function unnamedDefault(place: Place, key: string): JsonValue | undefined {
  if (place.defaults.has(key)) return undefined;
  const inner = place.child(key);
  return inner?.default === undefined ? undefined : toForm(inner.default.tolerance.value, inner, "normal");
}

/** An ignored element becomes `null`, so that the others keep their index, or disappears at the end of the list. */
function listForm(list: readonly JsonValue[], place: Place, form: Form): JsonValue[] {
  const result: JsonValue[] = [];
  let length = 0;
  list.forEach((item, index) => {
    const inner = place.child(String(index));
    const isIgnored = inner?.ignore !== undefined;
    result.push(isIgnored ? null : toForm(item, inner, form));
    if (!isIgnored) length = result.length;
  });
  result.length = length;
  return place.set === undefined || form === "pruned" ? result : sorted(result);
}

function sorted(list: readonly JsonValue[]): JsonValue[] {
  const keyed = list.map((item) => ({ item, key: canonicalize(item) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ item }) => item);
}

/** A normal form without the parts that only `isAlike` can decide. */
export function toSkeleton(value: JsonValue, place: Place | undefined): JsonValue {
  if (place === undefined) return value;
  if (isScalar(value)) return typeof value === "number" && place.numeric.length > 0 ? 0 : value;
  if (Array.isArray(value)) {
    // A file cannot declare approximate rules inside a set.
    if (place.set !== undefined) return value;
    return value.map((item, index) => toSkeleton(item, place.child(String(index))));
  }
  const result: JsonObject = {};
  if (place.ignoreExtra !== undefined) return result;
  for (const key of Object.keys(value)) {
    const [inner, absent] = [place.child(key), unnamedDefault(place, key)];
    const skeleton = toSkeleton(value[key] as JsonValue, inner);
    const isAbsent = absent !== undefined && canonicalize(toSkeleton(absent, inner)) === canonicalize(skeleton);
    if (!isAbsent) setOwn(result, key, skeleton);
  }
  return result;
}

export function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
