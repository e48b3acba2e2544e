// Expected arguments under tolerances. Where asymmetric matchers or custom testers let a place count as equal, it is; the rest
// is compared as recorded calls are.

import type { Tolerances, ToleranceUse } from "../../cassette/index.js";
import {
  canonicalize,
  defined,
  isPlainObject,
  NotJsonError,
  setOwn,
  type JsonObject,
  type JsonValue,
} from "../../core/index.js";
import type { ArgumentDifference } from "./arguments.js";

type IsEqual = (expected: unknown, actual: unknown) => boolean;

export interface Tolerated {
  differences: ArgumentDifference[];
  uses: ToleranceUse[];
}

/** Undefined where what is expected is no JSON even with the places left out that the runner calls equal. */
export function compareTolerated(
  tolerances: Tolerances,
  tool: string,
  expected: unknown,
  actual: JsonObject,
  isEqual: IsEqual,
): Tolerated | undefined {
  const filled = fillEqual(expected, actual, isEqual);
  if (!isPlainObject(filled) || !isJson(filled)) return undefined;
  const { changes, uses } = tolerances.compare(tool, filled as JsonObject, actual);
  const differences = changes.map(({ pointer, old, new: now }): ArgumentDifference => ({
    pointer,
    ...defined({ expected: old, actual: now }),
  }));
  return { differences, uses };
}

/** What is expected, with the actual value in every place that the runner calls equal. */
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
