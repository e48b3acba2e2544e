// Tests whether amounts such as costs are higher on the candidate's side: the permutation test on the difference of means (R. A. Fisher,
// "The Design of Experiments", 1935), within each scenario, summed over scenarios. With one run on each side of every scenario it
// is his test of paired differences.

import type { Random } from "./random.js";
import { relabelingTest, type PermutationResult, type Relabeled, type Source } from "./relabeling.js";

/** One amount for each run of a scenario, such as its cost. At least one on each side. */
export interface Amounts {
  base: readonly number[];
  candidate: readonly number[];
}

/** One-sided: tests whether the candidate's amounts are higher. Every scenario counts alike, whatever its number of runs. */
export function meanDifferenceTest(strata: readonly Amounts[], random: Random): PermutationResult {
  const largest = strata.reduce(
    (most, { base, candidate }) => [...base, ...candidate].reduce((max, value) => Math.max(max, Math.abs(value)), most),
    0,
  );
  const varied = strata.filter(({ base, candidate }) => new Set([...base, ...candidate]).size > 1);
  // On one scale, so that amounts of any unit have the same tolerance for ties.
  return relabelingTest(
    varied.map(({ base, candidate }) =>
      toRelabeled(
        [...base, ...candidate].map((value) => value / largest),
        base.length,
      ),
    ),
    random,
  );
}

function toRelabeled(values: readonly number[], base: number): Relabeled {
  const runs = values.length;
  const total = values.reduce((sum, value) => sum + value, 0);
  /** The candidate's mean minus the baseline's, from the baseline's sum. */
  const differenceOf = (ofBase: number): number => (total - ofBase) / (runs - base) - ofBase / base;
  return {
    base,
    runs,
    statisticOf: (isBase) => differenceOf(values.reduce((sum, value, run) => sum + value * (isBase[run] as number), 0)),
    shuffling: () => shuffling(values, base, differenceOf),
  };
}

function shuffling(values: readonly number[], base: number, differenceOf: (ofBase: number) => number): Source {
  const runs = values.length;
  const order = Float64Array.from(values);
  const observed = differenceOf(values.slice(0, base).reduce((sum, value) => sum + value, 0));
  const draw = (random: Random): number => {
    let ofBase = 0;
    for (let index = 0; index < base; index++) {
      const swapped = index + random.below(runs - index);
      const value = order[swapped] as number;
      order[swapped] = order[index] as number;
      order[index] = value;
      ofBase += value;
    }
    return differenceOf(ofBase);
  };
  return { observed, draw, work: base };
}
