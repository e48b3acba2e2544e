// How an arbitrary shrinks: the smallest value that a predicate refuses, which must not depend on where the search
// began.

import fc from "fast-check";
import { expect } from "vitest";

/** The counterexample that remains if `isGood` is the law. It is the same value for every seed. */
export function leastWhere<T>(values: fc.Arbitrary<T>, isGood: (value: T) => boolean): T {
  const found = [1, 2, 3].map((seed) => {
    const { counterexample } = fc.check(fc.property(values, isGood), { seed, numRuns: 5_000 });
    if (counterexample === null) throw new Error(`no value was refused with seed ${seed}`);
    return counterexample[0];
  });
  expect(found[1]).toEqual(found[0]);
  expect(found[2]).toEqual(found[0]);
  return found[0] as T;
}

/** The number of matching values among `count`, to prove that a law sees them. */
export function countOf<T>(values: fc.Arbitrary<T>, isSuch: (value: T) => boolean, count = 1_000): number {
  return fc.sample(values, { numRuns: count, seed: 1 }).filter(isSuch).length;
}
