// Tests whether amounts such as costs are higher on the candidate's side: the permutation test on the difference of means (R. A. Fisher,
// "The Design of Experiments", 1935), within each scenario, summed over scenarios. With one run on each side of every scenario it
// is his test of paired differences.

import { clampP } from "./fisher.js";
import type { Random } from "./random.js";
import { relabelingTest, TIE, type PermutationResult, type Relabeled, type Source } from "./relabeling.js";

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
  return { observed, draw, largest: shareOfLargest(values, base), work: base };
}

/** The share of relabelings that give the baseline the lowest amounts. */
function shareOfLargest(values: readonly number[], base: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const last = sorted[base - 1] as number;
  const alike = sorted.filter((value) => Math.abs(value - last) <= TIE).length;
  const below = sorted.filter((value) => value < last - TIE).length;
  return clampP(Math.exp(logCombinations(alike, base - below) - logCombinations(values.length, base)));
}

/** The logarithm of n over k, which itself is beyond a double for a thousand runs. */
function logCombinations(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log((n - k + i) / i);
  return sum;
}
