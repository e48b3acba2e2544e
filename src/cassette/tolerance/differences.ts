// Where the arguments of two calls differ despite the tolerances, and which tolerances were used, in one walk over recorded values.

import { canonicalize, isPlainObject, toPointer, type JsonObject, type JsonValue } from "../../core/index.js";
import type { ValueChange } from "../prompt/json-difference.js";
import type { Rule, Scalar } from "./kinds.js";
import { isNear } from "./near.js";
import { ownValue, toForm } from "./normal.js";
import type { Place } from "./places.js";
import { applySteps, isScalar, type Step } from "./steps.js";

type MaybeJson = JsonValue | undefined;

export interface Walked {
  readonly changes: ValueChange[];
  /** The rule of each place where two different values are equal, in the order of the walk. */
  readonly used: Rule[];
}

/** Compares two values. There are no changes exactly if they are alike. */
export function walkBoth(a: JsonValue, b: JsonValue, place: Place | undefined): Walked {
  const walked: Walked = { changes: [], used: [] };
  walk(a, b, place, [], walked);
  return walked;
}

type Path = readonly (string | number)[];

function walk(a: MaybeJson, b: MaybeJson, place: Place | undefined, path: Path, walked: Walked): void {
  if (a === b) return;
  if (place?.ignore !== undefined) {
    if (!isSame(a, b)) walked.used.push(place.ignore);
  } else if (a === undefined || b === undefined) {
    walkAbsent(a, b, place, path, walked);
  } else if (Array.isArray(a) && Array.isArray(b)) {
    if (place?.set !== undefined) walkSets(a, b, place, place.set, path, walked);
    else {
      for (let index = 0; index < Math.max(a.length, b.length); index++) {
        walk(a[index], b[index], place?.child(String(index)), [...path, index], walked);
      }
    }
  } else if (isPlainObject(a) && isPlainObject(b)) {
    walkObjects(a, b, place, path, walked);
  } else {
    const rules = isScalar(a) && isScalar(b) && place !== undefined ? equating(a, b, place) : undefined;
    if (rules === undefined) walked.changes.push(toChange(a, b, place, path));
    else walked.used.push(...rules);
  }
}

/** Compares the present side with the default, if the place has one. */
function walkAbsent(a: MaybeJson, b: MaybeJson, place: Place | undefined, path: Path, walked: Walked): void {
  if (place?.default !== undefined && typeof path.at(-1) === "string") {
    const filled = place.default.tolerance.value;
    const inner: Walked = { changes: [], used: [] };
    walk(a === undefined ? filled : a, b === undefined ? filled : b, place, path, inner);
    if (inner.changes.length === 0) {
      walked.used.push(place.default, ...inner.used);
      return;
    }
  }
  walked.changes.push(toChange(a, b, place, path));
}

function walkObjects(a: JsonObject, b: JsonObject, place: Place | undefined, path: Path, walked: Walked): void {
  for (const key of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
    const [old, now] = [ownValue(a, key), ownValue(b, key)];
    const inner = place?.child(key);
    const isExtra = (old === undefined) !== (now === undefined);
    const isSaid = inner?.ignore !== undefined || inner?.default !== undefined;
    if (isExtra && !isSaid && place?.ignoreExtra !== undefined) walked.used.push(place.ignoreExtra);
    else walk(old, now, inner, [...path, key], walked);
  }
}

/** Pairs elements by their normal forms, equal indices first. Each unpaired element is a change. */
function walkSets(a: JsonValue[], b: JsonValue[], place: Place, set: Rule, path: Path, walked: Walked): void {
  const element = place.child("0");
  if (element?.ignore !== undefined) {
    if (!isSame(a, b)) walked.used.push(element.ignore);
    return;
  }
  const keyOf = (value: JsonValue): string => canonicalize(toForm(value, element, "normal"));
  const { pairs, onlyOld, onlyNew } = pairByKey(a.map(keyOf), b.map(keyOf));
  for (const [old, now] of pairs) walk(a[old], b[now], element, [...path, now], walked);
  if (onlyOld.length + onlyNew.length === 0 && pairs.some(([old, now]) => old !== now)) walked.used.push(set);
  for (const index of onlyOld) walked.changes.push(toChange(a[index], undefined, element, [...path, index]));
  for (const index of onlyNew) walked.changes.push(toChange(undefined, b[index], element, [...path, index]));
}

function pairByKey(old: readonly string[], now: readonly string[]) {
  const pairs: [old: number, now: number][] = [];
  const onlyNew: number[] = [];
  const free = new Map<string, number[]>();
  old.forEach((key, index) => {
    const others = free.get(key);
    if (now[index] === key) pairs.push([index, index]);
    else if (others === undefined) free.set(key, [index]);
    else others.push(index);
  });
  now.forEach((key, index) => {
    if (old[index] === key) return;
    const partner = free.get(key)?.shift();
    if (partner === undefined) onlyNew.push(index);
    else pairs.push([partner, index]);
  });
  return { pairs, onlyOld: [...free.values()].flat().sort((x, y) => x - y), onlyNew };
}

/** The rules that make two different scalars equal: the necessary ones, or the last. Undefined if the values are not equal. */
function equating(a: Scalar, b: Scalar, place: Place): Rule[] | undefined {
  const areEqual = (steps: readonly Step[]): boolean => applySteps(steps, a) === applySteps(steps, b);
  const { steps, numeric } = place;
  if (areEqual(steps)) {
    const needed = steps.filter((step) => !areEqual(steps.filter((other) => other !== step)));
    return (needed.length > 0 ? needed : steps.slice(-1)).map(({ rule }) => rule);
  }
  const [x, y] = [applySteps(steps, a), applySteps(steps, b)];
  if (typeof x !== "number" || typeof y !== "number") return undefined;
  const near = numeric.find((rule) => isNear(x, y, { ...place, numeric: [rule] }));
  return near === undefined ? undefined : [near];
}

function toChange(a: MaybeJson, b: MaybeJson, place: Place | undefined, path: Path): ValueChange {
  return {
    pointer: toPointer(path),
    ...(a === undefined ? {} : { old: toForm(a, place, "pruned") }),
    ...(b === undefined ? {} : { new: toForm(b, place, "pruned") }),
  };
}

function isSame(a: MaybeJson, b: MaybeJson): boolean {
  return a !== undefined && b !== undefined && canonicalize(a) === canonicalize(b);
}
