// Formats the gate's figures for every report. No locale is used, so a number reads the same on every machine.

import type { DistanceComparison, Effect, OutcomeComparison, Outcomes, TestResult } from "../drift/gate-report.js";
import { pText, toDigits } from "../drift/words.js";

/** Formats 0.125 as "12.5%". */
export function percent(share: number): string {
  return `${decimal(share * 100, 1)}%`;
}

/** Formats a number with at most `places` decimals, no trailing zeros, and a real minus sign. */
export function decimal(value: number, places: number): string {
  const text = value.toFixed(places).replace(/\.?0+$/, (zeros) => (value.toFixed(places).includes(".") ? "" : zeros));
  return text === "-0" ? "0" : text.replace("-", "−");
}

/** "Fisher's exact test, two-sided: p = 0.02, corrected 0.08 (least possible 0.0079)". */
export function testText(result: TestResult, isDifferent: boolean): string {
  const { test, sides, attainable, exact, draws } = result;
  if (attainable === 1) return isDifferent ? "these runs cannot be tested" : "no difference to test";
  const side = sides === 1 ? "one-sided" : "two-sided";
  const drawn = exact ? "" : ` of ${draws ?? 0} random relabelings`;
  return `${TESTS[test]}, ${side}${drawn}: ${pText(result)} (least possible ${toDigits(attainable)})`;
}

const TESTS: Readonly<Record<TestResult["test"], string>> = {
  fisher: "Fisher's exact test",
  mcnemar: "McNemar's exact test",
  permutation: "permutation test",
  "stratified-permutation": "stratified permutation test",
  "paired-permutation": "paired permutation test",
};

/** "−25 points, 95% interval −60 to +10": candidate minus baseline. */
export function effectText({ what, value, low, high, level }: Effect): string {
  const [scale, places, unit] = what === "success-rate" ? [100, 1, " points"] : [1, 3, ""];
  const signed = (number: number): string => `${number > 0 ? "+" : ""}${decimal(number * scale, places)}`;
  return `${signed(value)}${unit}, ${percent(level)} interval ${signed(low)} to ${signed(high)}`;
}

/** "3 of 4 runs (75%)". */
export function rateText({ runs, successes }: Outcomes): string {
  return runs === 0 ? "no runs" : `${successes} of ${runs} runs (${percent(successes / runs)})`;
}

export function outcomeLine(outcome: OutcomeComparison): string {
  const { base, candidate, effect } = outcome;
  return `success: ${rateText(base)} before, ${rateText(candidate)} now, ${effectText(effect)}, ${outcomeTestText(outcome)}`;
}

/** The test for less success, or for more success if there is more. */
export function outcomeTestText({ test, better, effect }: OutcomeComparison): string {
  return effect.value > 0 ? `more often? ${testText(better, true)}` : testText(test, effect.value !== 0);
}

export function distanceLine({ withinBase, withinCandidate, between, effect, test }: DistanceComparison): string {
  const within = (value: number | undefined): string => (value === undefined ? "unknown" : decimal(value, 3));
  return `distance of paths: ${decimal(between, 3)} between the sides, ${within(withinBase)} within the baseline, ${within(withinCandidate)} within the candidate, effect ${effectText(effect)}, ${testText(test, between > 0)}`;
}
