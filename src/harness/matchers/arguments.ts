// Where the arguments of a call are not the expected ones. The runner's own equality decides, so asymmetric matchers and
// custom testers count; this only finds the places.

import { isPlainObject, toPointer } from "../../core/index.js";
import type { MatcherContext } from "./matcher.js";

/** A side is absent where there is nothing at the place. */
export interface ArgumentDifference {
  /** JSON pointer (RFC 6901) into the arguments; "" is the whole. */
  pointer: string;
  expected?: unknown;
  actual?: unknown;
}

/** Empty exactly when the runner calls the two equal. */
export function findArgumentDifferences(
  context: MatcherContext,
  expected: unknown,
  actual: unknown,
): ArgumentDifference[] {
  const found: ArgumentDifference[] = [];
  walk(equalityOf(context), { expected, actual }, [], found);
  return found;
}

/** What the runner calls equal. */
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
  // Unequal as a whole with equal parts, which a custom tester may decide, or nothing that could be taken apart.
  if (found.length === before) found.push({ pointer: toPointer(path), ...sides });
}

/** The keys of both sides when both are objects or both lists; an asymmetric matcher is neither. */
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
