// How large a difference is, with an interval. Success rates: R. G. Newcombe, "Interval estimation for the difference between
// independent proportions" (Statistics in Medicine 17, 1998), method 10, from two intervals of E. B. Wilson (JASA 22, 1927).
// Distances: the normal interval of a U-statistic from its projections (W. Hoeffding, Annals of Mathematical Statistics 19,
// 1948). Each side gets two extra runs at the far ends, as A. Agresti and B. A. Coull (The American Statistician 52, 1998) add
// successes and failures. A few runs that happen to be alike then still give an interval with a width.

import { defined } from "../../../core/index.js";
import { normalQuantile, wilsonInterval } from "./normal.js";
import type { DistanceTable } from "./permutation.js";
import type { Stratum } from "./stratified.js";

interface Estimate {
  value: number;
  low: number;
  high: number;
}

/**
 * The candidate's success rate minus the baseline's. Over several scenarios, rates are weighted as in N. Mantel and W. Haenszel (JNCI
 * 22, 1959). Each weighted rate counts as many runs as a plain rate of the same variance. This treats the spread between scenarios as
 * chance, so the interval tends to be too wide.
 */
export function rateDifference(strata: readonly Stratum[], level: number): Estimate {
  const weights = strata.map(({ base, candidate }) => (base.runs * candidate.runs) / (base.runs + candidate.runs));
  const [before, after] = [weightedRate(strata, "base", weights), weightedRate(strata, "candidate", weights)];
  const value = after.rate - before.rate;
  const old = wilsonInterval(before.rate, before.runs, level);
  const now = wilsonInterval(after.rate, after.runs, level);
  return {
    value,
    low: Math.max(-1, value - Math.hypot(after.rate - now.low, old.high - before.rate)),
    high: Math.min(1, value + Math.hypot(now.high - after.rate, before.rate - old.low)),
  };
}

function weightedRate(
  strata: readonly Stratum[],
  side: keyof Stratum,
  weights: readonly number[],
): { rate: number; runs: number } {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let [rate, variance] = [0, 0];
  strata.forEach(({ [side]: { runs, successes } }, index) => {
    const share = (weights[index] as number) / total;
    rate += (share * successes) / runs;
    variance += (share * share) / runs;
  });
  return { rate: Math.min(1, rate), runs: 1 / variance };
}

/** Mean distances of pairs of runs, and how far the sides are apart beyond the spread within them. */
export interface DistanceEstimate {
  withinBase?: number;
  withinCandidate?: number;
  between: number;
  value: number;
  /** The variance of `value`. */
  variance: number;
}

/** `value` is the mean distance between the sides minus the mean distance within them. A side with one run has no distance within. */
export function distanceExcess({ base, runs, distances }: DistanceTable): DistanceEstimate {
  const sides = [
    { from: 0, to: base },
    { from: base, to: runs },
  ] as const;
  const mean = (run: number, { from, to }: Side): number | undefined => {
    const isOwn = run >= from && run < to;
    const others = to - from - (isOwn ? 1 : 0);
    let sum = 0;
    for (let other = from; other < to; other++) {
      const [there, back] = [distances[run * runs + other] as number, distances[other * runs + run] as number];
      // Between the sides, the distance goes from the baseline to the candidate.
      sum += isOwn ? (there + back) / 2 : run < base ? there : back;
    }
    return others === 0 ? undefined : sum / others;
  };
  const own = sides.map((side) => means(side, side, mean));
  const across = sides.map((side, i) => means(side, sides[1 - i] ?? side, mean));
  const between = average(across[0] as number[]) ?? 0;
  const [withinBase, withinCandidate] = own.map((list) => average(list));
  const spread = average([withinBase, withinCandidate].filter((value) => value !== undefined)) ?? 0;
  const reach = distances.reduce((most, distance) => Math.max(most, distance), 0);
  const variance = sides.reduce((sum, { from, to }, side) => {
    const parts = (across[side] as number[]).map((value, index) => value - ((own[side] ?? [])[index] ?? 0));
    const middle = average(parts) ?? 0;
    const squares = parts.reduce((total, part) => total + (part - middle) ** 2, 2 * reach ** 2);
    return sum + squares / (to - from + 1) / (to - from + 2);
  }, 0);
  return { ...defined({ withinBase, withinCandidate }), between, value: between - spread, variance };
}

interface Side {
  from: number;
  to: number;
}

function means(side: Side, others: Side, mean: (run: number, others: Side) => number | undefined): number[] {
  const list: number[] = [];
  for (let run = side.from; run < side.to; run++) {
    const value = mean(run, others);
    if (value !== undefined) list.push(value);
  }
  return list;
}

/** The mean excess of several scenarios, all with the same weight. */
export function meanExcess(estimates: readonly DistanceEstimate[], level: number): Estimate {
  const value = average(estimates.map((estimate) => estimate.value)) ?? 0;
  const variance = estimates.reduce((sum, estimate) => sum + estimate.variance, 0) / estimates.length ** 2;
  const half = normalQuantile((1 + level) / 2) * Math.sqrt(variance);
  return { value, low: Math.max(-1, value - half), high: Math.min(1, value + half) };
}

export function average(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
