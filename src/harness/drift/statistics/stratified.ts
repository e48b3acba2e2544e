// Success rates over many scenarios at once, exactly: within each scenario the successes of the candidate are hypergeometric,
// and their sum over the scenarios is the convolution (W. G. Cochran, "Some methods for strengthening the common chi-square
// tests", Biometrics 10, 1954, in the exact conditional form of C. R. Mehta et al., JASA 80, 1985). With one run on each
// side it is the exact test of Q. McNemar (Psychometrika 12, 1947), one-sided.

import { clampP, LEAST_P, successDistribution, type Counts, type ExactResult } from "./fisher.js";

/** One scenario. */
export interface Stratum {
  base: Counts;
  candidate: Counts;
}

/** Probabilities below this at either end are let go; the p-value says no smaller than what was let go. */
const NEGLIGIBLE = 1e-40;
const LEAST_POOLED_P = 1e-30;

/** One-sided: the chance of so few successes of the candidate over all scenarios, or fewer. */
export function stratifiedTest(strata: readonly Stratum[]): ExactResult {
  let total = { least: 0, weights: Float64Array.of(1) };
  let observed = 0;
  let attainable = 1;
  for (const { base, candidate } of strata) {
    const own = successDistribution(base, candidate);
    observed += candidate.successes;
    if (own.weights.length === 1) {
      total.least += own.least;
      continue;
    }
    attainable = Math.max(LEAST_P, attainable * (own.weights[0] as number));
    total = trim({ least: total.least + own.least, weights: convolve(total.weights, own.weights) });
  }
  let p = 0;
  total.weights.forEach((weight, index) => {
    if (total.least + index <= observed) p += weight;
  });
  return { p: clampP(Math.max(p, LEAST_POOLED_P)), attainable: clampP(Math.max(attainable, LEAST_POOLED_P)) };
}

/** True where the test is McNemar's: a single run on each side of every scenario. */
export function isPaired(strata: readonly Stratum[]): boolean {
  return strata.every(({ base, candidate }) => base.runs === 1 && candidate.runs === 1);
}

function convolve(a: Float64Array, b: Float64Array): Float64Array<ArrayBuffer> {
  const result = new Float64Array(a.length + b.length - 1);
  a.forEach((x, i) => {
    b.forEach((y, j) => {
      result[i + j] = (result[i + j] as number) + x * y;
    });
  });
  return result;
}

function trim({ least, weights }: { least: number; weights: Float64Array<ArrayBuffer> }): {
  least: number;
  weights: Float64Array<ArrayBuffer>;
} {
  let from = 0;
  let to = weights.length;
  while (to - from > 1 && (weights[from] as number) < NEGLIGIBLE) from++;
  while (to - from > 1 && (weights[to - 1] as number) < NEGLIGIBLE) to--;
  return { least: least + from, weights: from === 0 && to === weights.length ? weights : weights.slice(from, to) };
}
