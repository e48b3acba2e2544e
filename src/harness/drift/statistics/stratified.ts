// An exact test of success rates over many scenarios: within each scenario the candidate's successes are hypergeometric,
// and their sum over the scenarios is the convolution (W. G. Cochran, "Some methods for strengthening the common chi-square
// tests", Biometrics 10, 1954, in the exact conditional form of C. R. Mehta et al., JASA 80, 1985). With one run on each
// side it is the exact test of Q. McNemar (Psychometrika 12, 1947), one-sided.

import { clampP, successDistribution, type Counts, type Distribution, type ExactResult } from "./fisher.js";

export interface Stratum {
  base: Counts;
  candidate: Counts;
}

/** Probabilities below this at either end are dropped, so no p-value is smaller than the second number. */
const NEGLIGIBLE = 1e-40;
const LEAST_POOLED_P = 1e-30;

const ONE: Distribution = { least: 0, weights: Float64Array.of(1) };

/** One-sided: the chance of at most as many successes of the candidate over all scenarios. */
export function stratifiedTest(strata: readonly Stratum[]): ExactResult {
  let total: Distribution = ONE;
  let attainable = 1;
  for (const { base, candidate, times } of countAlike(strata)) {
    const own = successDistribution(base, candidate);
    attainable *= (own.weights[0] as number) ** times;
    total = convolve(total, power(own, times));
  }
  const observed = strata.reduce((sum, { candidate }) => sum + candidate.successes, 0);
  const p = total.weights.reduce((sum, weight, index) => (total.least + index <= observed ? sum + weight : sum), 0);
  return { p: clampP(Math.max(p, LEAST_POOLED_P)), attainable: clampP(Math.max(attainable, LEAST_POOLED_P)) };
}

/** Groups scenarios with the same runs and total successes, because they have the same distribution. */
function countAlike(strata: readonly Stratum[]): (Stratum & { times: number })[] {
  const groups = new Map<string, Stratum & { times: number }>();
  for (const stratum of strata) {
    const { base, candidate } = stratum;
    const key = `${base.runs} ${candidate.runs} ${base.successes + candidate.successes}`;
    const group = groups.get(key) ?? { ...stratum, times: 0 };
    group.times++;
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The sum of `times` independent draws, by squaring. */
function power(distribution: Distribution, times: number): Distribution {
  let result: Distribution = ONE;
  let square = distribution;
  for (let left = times; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = convolve(result, square);
    if (left > 1) square = convolve(square, square);
  }
  return result;
}

/** True if the test is McNemar's: a single run on each side of every scenario. */
export function isPaired(strata: readonly Stratum[]): boolean {
  return strata.every(({ base, candidate }) => base.runs === 1 && candidate.runs === 1);
}

function convolve(a: Distribution, b: Distribution): Distribution {
  const weights = new Float64Array(a.weights.length + b.weights.length - 1);
  for (let i = 0; i < a.weights.length; i++) {
    const weight = a.weights[i] as number;
    for (let j = 0; j < b.weights.length; j++) {
      weights[i + j] = (weights[i + j] as number) + weight * (b.weights[j] as number);
    }
  }
  return trim({ least: a.least + b.least, weights });
}

function trim({ least, weights }: Distribution): Distribution {
  let from = 0;
  let to = weights.length;
  while (to - from > 1 && (weights[from] as number) < NEGLIGIBLE) from++;
  while (to - from > 1 && (weights[to - 1] as number) < NEGLIGIBLE) to--;
  return { least: least + from, weights: weights.subarray(from, to) };
}
