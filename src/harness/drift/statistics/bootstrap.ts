// How much higher the candidate's amounts are, with an interval: percentiles of a bootstrap (B. Efron, Annals of Statistics 7, 1979). Its
// deviations are stretched by √(n / (n − 1)), since those of n drawn values are too small by that (T. Hesterberg, "What Teachers
// Should Know About the Bootstrap", The American Statistician 69, 2015).

import { MAX_INTERVAL_DRAWS } from "../../limits.js";
import type { Amounts } from "./mean-difference.js";
import type { Random } from "./random.js";

/** An estimate with its interval. Without `low` and `high`, the runs show no spread to estimate one from. */
export interface Estimate {
  value: number;
  low?: number;
  high?: number;
}

interface Means {
  base: number;
  candidate: number;
}

/** The means of each draw, at the same place on both sides. */
interface DrawnMeans {
  base: Float64Array;
  candidate: Float64Array;
}

const DRAWS = 999;
/** Two of them lie outside of a 95 % interval on each side. */
const LEAST_DRAWS = 99;

/** The draws for each of as many intervals. */
export function drawsFor(intervals: number): number {
  return Math.max(LEAST_DRAWS, Math.min(DRAWS, Math.floor(MAX_INTERVAL_DRAWS / intervals)));
}

/** The means of both sides, and the difference with its interval. */
export interface Shift {
  means: Means;
  difference: Estimate;
  relative?: Estimate;
}

/**
 * The candidate's mean minus the baseline's, and the same as a share of the baseline's mean. Means are means of the scenarios' means.
 * `relative` is absent unless the baseline's mean is above 0. No mean is below `least`.
 */
export function meanDifference(
  strata: readonly Amounts[],
  level: number,
  random: Random,
  { draws = DRAWS, least = 0 }: { draws?: number; least?: number } = {},
): Shift {
  const all = strata.map(({ base, candidate }) => ({ base: mean(base), candidate: mean(candidate) }));
  const means = { base: mean(all.map(({ base }) => base)), candidate: mean(all.map((each) => each.candidate)) };
  const drawn = drawMeans(strata, all, means, { random, draws, least });
  const interval = (of: (base: number, candidate: number) => number): { low: number; high: number } | undefined => {
    if (drawn === undefined) return undefined;
    const sorted = drawn.base.map((base, draw) => of(base, drawn.candidate[draw] as number)).sort();
    const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] as number;
    return { low: at((1 - level) / 2), high: at((1 + level) / 2) };
  };
  const value = means.candidate - means.base;
  const difference = { value, ...interval((base, candidate) => candidate - base) };
  if (means.base <= 0) return { means, difference };
  const share = (base: number, candidate: number): number => candidate / base - 1;
  const isPositive = drawn?.base.every((base) => base > 0) === true;
  return {
    means,
    difference,
    relative: { value: share(means.base, means.candidate), ...(isPositive ? interval(share) : {}) },
  };
}

/** Draws runs again within each side of each scenario. If one has a single run on a side, draws whole scenarios. */
function drawMeans(
  strata: readonly Amounts[],
  all: readonly Means[],
  means: Means,
  { random, draws, least }: { random: Random; draws: number; least: number },
): DrawnMeans | undefined {
  const canDrawRuns = strata.every(({ base, candidate }) => base.length > 1 && candidate.length > 1);
  if (!canDrawRuns && strata.length < 2) return undefined;
  if (canDrawRuns && strata.every(({ base, candidate }) => isFlat(base) && isFlat(candidate))) {
    return { base: Float64Array.of(means.base), candidate: Float64Array.of(means.candidate) };
  }
  const redraw = (): Means => {
    if (!canDrawRuns) return redrawnScenarios(all, means, random);
    let [base, candidate] = [0, 0];
    strata.forEach((amounts, index) => {
      base += redrawn(amounts.base, (all[index] as Means).base, random);
      candidate += redrawn(amounts.candidate, (all[index] as Means).candidate, random);
    });
    return { base: base / strata.length, candidate: candidate / strata.length };
  };
  const drawn = { base: new Float64Array(draws), candidate: new Float64Array(draws) };
  for (let draw = 0; draw < draws; draw++) {
    const { base, candidate } = redraw();
    drawn.base[draw] = Math.max(least, base);
    drawn.candidate[draw] = Math.max(least, candidate);
  }
  return drawn;
}

/** The mean of as many values, drawn with replacement. */
function redrawn(values: readonly number[], middle: number, random: Random): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[random.below(values.length)] as number;
  return middle + stretch(values.length) * (sum / values.length - middle);
}

/** Both means over as many scenarios, drawn with replacement. */
function redrawnScenarios(all: readonly Means[], means: Means, random: Random): Means {
  let [base, candidate] = [0, 0];
  for (let index = 0; index < all.length; index++) {
    const drawn = all[random.below(all.length)] as Means;
    base += drawn.base;
    candidate += drawn.candidate;
  }
  const by = stretch(all.length);
  return {
    base: means.base + by * (base / all.length - means.base),
    candidate: means.candidate + by * (candidate / all.length - means.candidate),
  };
}

function stretch(count: number): number {
  return Math.sqrt(count / (count - 1));
}

function isFlat(values: readonly number[]): boolean {
  return values.every((value) => value === values[0]);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
