// Finds where the arguments of a call differ from the expected ones. The runner's own equality decides, so asymmetric matchers and
// custom testers count.

import { isPlainObject, toPointer } from "../../core/index.js";
import type { MatcherContext } from "./matcher.js";

/** One difference. A side is absent if it has nothing at this place. */
export interface ArgumentDifference {
  /** JSON pointer (RFC 6901) into the arguments; "" is all of them. */
  pointer: string;
  expected?: unknown;
  actual?: unknown;
}

/** The differences; none exactly if the runner finds the two equal. */
export function findArgumentDifferences(
  context: MatcherContext,
  expected: unknown,
  actual: unknown,
): ArgumentDifference[] {
  const found: ArgumentDifference[] = [];
  walk(equalityOf(context), { expected, actual }, [], found);
  return found;
}

/** The runner's equality. */
export function equalityOf(context: MatcherContext): (a: unknown, b: unknown) => boolean {
  const testers = [...(context.customTesters ?? []), context.utils.iterableEquality];
  return (a, b) => context.equals(a, b, testers);
}

type Sides = Omit<ArgumentDifference, "pointer">;

function walk(
  isEqual: (a: unknown, b: unknown) => boolean,
  sides: Sides,
  path: readonly (string | number)[],
  found: ArgumentDifference[],
): void {
  const { expected, actual } = sides;
  if (isEqual(actual, expected)) return;
  const before = found.length;
  for (const key of commonKeys(expected, actual)) {
    walk(isEqual, { ...sideOf("expected", expected, key), ...sideOf("actual", actual, key) }, [...path, key], found);
  }
  // Unequal as a whole with equal parts (a custom tester may decide that), or values without parts.
  if (found.length === before) found.push({ pointer: toPointer(path), ...sides });
}

/** The keys of both sides if both are objects or both lists. An asymmetric matcher is neither. */
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
