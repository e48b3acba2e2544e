// Finds where the arguments of a call differ from the expected ones. The runner's equality decides, so asymmetric matchers and
// custom testers work. With tolerances, everything it finds unequal is compared like recorded calls.

import type { Tolerances, ToleranceUse } from "../../cassette/index.js";
import {
  canonicalize,
  defined,
  isPlainObject,
  NotJsonError,
  setOwn,
  toPointer,
  type JsonObject,
  type JsonValue,
} from "../../core/index.js";
import type { MatcherContext } from "./matcher.js";

/** One difference. A side is absent if it has no value at this place. */
export interface ArgumentDifference {
  /** JSON pointer (RFC 6901) into the arguments. "" means all of them. */
  pointer: string;
  expected?: unknown;
  actual?: unknown;
}

type IsEqual = (expected: unknown, actual: unknown) => boolean;

/** Lists the differences. The list is empty exactly if the runner finds the two equal. */
export function findArgumentDifferences(
  context: MatcherContext,
  expected: unknown,
  actual: unknown,
): ArgumentDifference[] {
  const found: ArgumentDifference[] = [];
  walk(equalityOf(context), { expected, actual }, [], found);
  return found;
}

export function equalityOf(context: MatcherContext): IsEqual {
  const testers = [...(context.customTesters ?? []), context.utils.iterableEquality];
  return (a, b) => context.equals(a, b, testers);
}

type Sides = Omit<ArgumentDifference, "pointer">;

function walk(isEqual: IsEqual, sides: Sides, path: readonly (string | number)[], found: ArgumentDifference[]): void {
  const { expected, actual } = sides;
  if (isEqual(actual, expected)) return;
  const before = found.length;
  for (const key of commonKeys(expected, actual)) {
    walk(isEqual, { ...sideOf("expected", expected, key), ...sideOf("actual", actual, key) }, [...path, key], found);
  }
  // Values without parts, or a custom tester that finds the whole unequal and every part equal.
  if (found.length === before) found.push({ pointer: toPointer(path), ...sides });
}

/** The keys of both sides if both are plain objects or both are lists. An asymmetric matcher is neither. */
function commonKeys(expected: unknown, actual: unknown): (string | number)[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return Array.from({ length: Math.max(expected.length, actual.length) }, (_, index) => index);
  }
  if (!isPlainObject(expected) || !isPlainObject(actual)) return [];
  return [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
}

function sideOf(side: "expected" | "actual", value: unknown, key: string | number): Sides {
  const holder = value as Record<string | number, unknown>;
  return Object.hasOwn(holder, key) && holder[key] !== undefined ? { [side]: holder[key] } : {};
}

/** Returns undefined if the expected value is not JSON, even after equal places take the actual value. */
export function compareTolerated(
  tolerances: Tolerances,
  tool: string,
  expected: unknown,
  actual: JsonObject,
  isEqual: IsEqual,
): { differences: ArgumentDifference[]; uses: ToleranceUse[] } | undefined {
  const filled = fillEqual(expected, actual, isEqual);
  if (!isPlainObject(filled) || !isJson(filled)) return undefined;
  const { changes, uses } = tolerances.compare(tool, filled as JsonObject, actual);
  const differences = changes.map(({ pointer, old, new: now }): ArgumentDifference => ({
    pointer,
    ...defined({ expected: old, actual: now }),
  }));
  return { differences, uses };
}

/** Returns `expected` with the actual value in every place that the runner finds equal. */
function fillEqual(expected: unknown, actual: JsonValue | undefined, isEqual: IsEqual): unknown {
  if (actual !== undefined && isEqual(expected, actual)) return actual;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return expected.map((item, index) => fillEqual(item, actual[index], isEqual));
  }
  if (!isPlainObject(expected) || !isPlainObject(actual)) return expected;
  const result: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(expected)) {
    if (value === undefined) continue;
    const there = Object.hasOwn(actual, key) ? (actual[key] as JsonValue) : undefined;
    setOwn(result, key, fillEqual(value, there, isEqual) as JsonValue);
  }
  return result;
}

function isJson(value: unknown): boolean {
  try {
    canonicalize(value);
    return true;
  } catch (error) {
    if (error instanceof NotJsonError) return false;
    throw error;
  }
}
