// How an arbitrary shrinks: the least value that a predicate refuses, which must not depend on where the search began.

import fc from "fast-check";
import { expect } from "vitest";

/** The counterexample that is left when `isGood` is taken for a law; one value whatever the seed. */
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

/** How many of `count` values are such, so that a law is known to see them. */
export function countOf<T>(values: fc.Arbitrary<T>, isSuch: (value: T) => boolean, count = 1_000): number {
  return fc.sample(values, { numRuns: count, seed: 1 }).filter(isSuch).length;
}
