// Fisher's exact test of two success rates: R. A. Fisher, "The Design of Experiments" (1935), chapter II. Given how many of
// all runs succeeded, the successes of one side follow the hypergeometric distribution if the sides do not differ.

export interface Counts {
  runs: number;
  successes: number;
}

/** A p-value and the smallest one that the same runs with the same number of successes could have given. */
export interface ExactResult {
  p: number;
  attainable: number;
}

/** The least p-value, below any level: no p-value is 0. */
const LEAST_P = 1e-300;

/** Tables within this ratio are equally probable, as in R's fisher.test. */
const TIE = 1 + 1e-7;

/** `weights[i]` is the probability of `least + i` successes of the candidate. The weights sum to 1. */
export interface Distribution {
  least: number;
  weights: Float64Array;
}

/**
 * The distribution of the candidate's successes, given the total of both sides. It is computed outwards from the mode by the ratio
 * of neighbours, so it needs no factorials and nothing overflows.
 */
export function successDistribution(base: Counts, candidate: Counts): Distribution {
  const successes = base.successes + candidate.successes;
  const least = Math.max(0, successes - base.runs);
  const most = Math.min(candidate.runs, successes);
  const mode = Math.floor(((successes + 1) * (candidate.runs + 1)) / (base.runs + candidate.runs + 2));
  const start = Math.min(most, Math.max(least, mode));
  const weights = new Float64Array(most - least + 1);
  weights[start - least] = 1;
  const ratio = (k: number): number =>
    ((successes - k) * (candidate.runs - k)) / ((k + 1) * (base.runs - successes + k + 1));
  for (let k = start; k < most; k++) weights[k + 1 - least] = at(weights, k - least) * ratio(k);
  for (let k = start; k > least; k--) weights[k - 1 - least] = at(weights, k - least) / ratio(k - 1);
  // Loops, because estimates of the runs that are needed do this very often.
  let total = 0;
  for (let index = 0; index < weights.length; index++) total += at(weights, index);
  for (let index = 0; index < weights.length; index++) weights[index] = at(weights, index) / total;
  return { least, weights };
}

/** One-sided: the chance of at most as many successes of the candidate. Two-sided: the chance of any result at most as probable. */
export function fisherTest(base: Counts, candidate: Counts, sides: 1 | 2): ExactResult {
  const { least, weights } = successDistribution(base, candidate);
  const observed = candidate.successes - least;
  const [first, last] = [at(weights, 0), at(weights, weights.length - 1)];
  if (sides === 1) return { p: clampP(sumUpTo(weights, observed)), attainable: clampP(first) };
  const limit = at(weights, observed) * TIE;
  const extreme = Math.min(first, last) * TIE;
  return { p: clampP(sumOfAtMost(weights, limit)), attainable: clampP(sumOfAtMost(weights, extreme)) };
}

/** Limits a p-value to (0, 1] after rounding errors. */
export function clampP(p: number): number {
  return Math.min(1, Math.max(LEAST_P, p));
}

function sumUpTo(weights: Float64Array, last: number): number {
  let total = 0;
  for (let index = 0; index <= last; index++) total += at(weights, index);
  return total;
}

function sumOfAtMost(weights: Float64Array, limit: number): number {
  let total = 0;
  for (let index = 0; index < weights.length; index++) {
    if (at(weights, index) <= limit) total += at(weights, index);
  }
  return total;
}

function at(weights: Float64Array, index: number): number {
  return weights[index] as number;
}
