// The words for test results, shared by the verdict and every report.

import type { Measured } from "./measure.js";
import type { DistanceComparison, OutcomeComparison, TestResult } from "./gate-report.js";

export function samePathsText({ paths, samePaths }: Measured): string {
  if (!samePaths) return "the order allows every difference";
  return paths.length === 1 ? "every run took the same path" : "both sides took the same paths equally often";
}

/** "the candidate succeeds less often: 2 of 4 against 4 of 4 (p = 0.2)". */
export function worseText({ base, candidate, test }: OutcomeComparison): string {
  return `the candidate succeeds less often: ${rateText(candidate)} against ${rateText(base)} (${pText(test)})`;
}

/** "the candidate succeeds more often: 4 of 4 against 1 of 4 (p = 0.01)". */
export function betterText(comparison: OutcomeComparison): string {
  return `the candidate succeeds more often: ${gainText(comparison)}`;
}

export function gainText({ base, candidate, better }: OutcomeComparison): string {
  return `${rateText(candidate)} against ${rateText(base)} (${pText(better)})`;
}

export function apartText({ between, effect, test }: DistanceComparison): string {
  return `the runs take other paths: distance ${between.toFixed(2)} between the sides, ${effect.value.toFixed(2)} more than within them (${pText(test)})`;
}

function rateText({ successes, runs }: { successes: number; runs: number }): string {
  return `${successes} of ${runs}`;
}

/** "p = 0.012, corrected 0.048". */
export function pText({ p, adjusted }: Pick<TestResult, "p" | "adjusted">): string {
  return adjusted === p ? `p = ${toDigits(p)}` : `p = ${toDigits(p)}, corrected ${toDigits(adjusted)}`;
}

/** Two significant digits, with an exponent if very small. */
export function toDigits(p: number): string {
  return p >= 0.001 || p === 0 ? String(Number(p.toPrecision(2))) : p.toExponential(1);
}

/** "0.05", "0.0167": a share of alpha is rarely a short number. */
export function alphaText(alpha: number): string {
  return String(Number(alpha.toPrecision(3)));
}
