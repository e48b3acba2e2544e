// Judges the metrics that have a threshold: a metric is a regression if it got worse beyond chance, and by more than the threshold.

import { plural } from "../../../core/index.js";
import type { GateRun } from "../paths/path-table.js";
import type { RawMetric } from "./compare.js";
import { isScore, type MetricComparison, type MetricReport, type MetricThreshold } from "./figures.js";
import { changeText, nounOf, unknownText } from "./words.js";
import { allowanceText } from "./threshold.js";
import { pText, toDigits } from "../words.js";

/** The corrected p-value of each metric, and whether its test can decide. */
export interface JudgedMetrics {
  adjusted: readonly number[];
  canDecide: readonly boolean[];
}

interface MetricTerms {
  thresholds: readonly MetricThreshold[];
  alpha: number;
  /** Kinds of tests that share alpha, the metrics included. */
  shares: number;
  scenarios: number;
  unpriced: readonly string[];
}

export function judgeMetrics(raw: readonly RawMetric[], judged: JudgedMetrics, terms: MetricTerms): MetricReport {
  const all = raw.map((figures, index): MetricComparison => {
    const { test, ...rest } = figures;
    const adjusted = judged.adjusted[index] ?? 1;
    const compared: MetricComparison = test === undefined ? rest : { ...rest, test: { ...test, adjusted } };
    const threshold = terms.thresholds.find(({ metric }) => metric === figures.metric);
    if (threshold === undefined) return compared;
    return { ...compared, threshold, ...decide(compared, threshold, judged.canDecide[index] ?? false, terms) };
  });
  return { all, correction: correctionText(all, terms), unpriced: [...terms.unpriced] };
}

type Decision = Required<Pick<MetricComparison, "verdict" | "reason">>;

function decide(
  metric: MetricComparison,
  threshold: MetricThreshold,
  canDecide: boolean,
  { alpha, scenarios, unpriced }: MetricTerms,
): Decision {
  const { test } = metric;
  if (test === undefined) return { verdict: "inconclusive", reason: unknownText(metric, unpriced) };
  const allowed = allowanceText(threshold);
  const change = `${coveredText(metric, scenarios)}${nounOf(metric.metric)} ${changeText(metric)}`;
  if (!exceeds(metric, threshold)) return { verdict: "same", reason: `${change}, within the allowed ${allowed}` };
  const over = `${change}, more than the allowed ${allowed}`;
  if (test.adjusted <= alpha) return { verdict: "regression", reason: `${over} (${pText(test)})` };
  if (canDecide) return { verdict: "same", reason: `${over}, but not beyond chance (${pText(test)})` };
  const least = `${pText({ p: test.p, adjusted: test.p })}, least possible ${toDigits(test.attainable)}`;
  return { verdict: "inconclusive", reason: `${over}, but so few runs cannot rule out chance (${least})` };
}

/** "over all scenarios ", or "over 3 of 8 scenarios " for a score that not all of them have. */
function coveredText({ scenarios: covered }: MetricComparison, all: number): string {
  if (all === 1) return "";
  return covered === undefined || covered === all ? "over all scenarios " : `over ${covered} of ${all} scenarios `;
}

function exceeds({ metric, difference, base }: MetricComparison, { amount, isRelative }: MetricThreshold): boolean {
  const worsened = (isScore(metric) ? -1 : 1) * (difference?.value ?? 0);
  // Anything is more than any share of nothing. A score may be below 0.
  return worsened > (amount + ROUNDING) * (isRelative ? Math.abs(base.mean ?? 0) : 1);
}

/** A fall from 0.9 to 0.8 is not more than 0.1, whatever its last binary digit says. */
const ROUNDING = 1e-12;

function correctionText(all: readonly MetricComparison[], { shares }: MetricTerms): string {
  const tested = all.filter(({ test }) => test !== undefined);
  const names = (list: readonly MetricComparison[]): string => list.map(({ metric }) => metric).join(", ");
  const gated = tested.filter(({ threshold }) => threshold !== undefined);
  const free = tested.filter(({ threshold }) => threshold === undefined);
  const others = shares > 1 ? `, which share alpha with ${plural(shares - 1, "other kind")} of test` : "";
  return [
    ...(gated.length === 0 ? [] : [`Holm over the metrics with a threshold (${names(gated)})${others}`]),
    ...(free.length === 0 ? [] : [`Holm over the metrics without a threshold (${names(free)}), which decide nothing`]),
  ].join("; ");
}

/** Models without a price, sorted. */
export function unpricedModels(runs: readonly GateRun[]): string[] {
  return [...new Set(runs.flatMap(({ spending }) => spending?.unpriced ?? []))].sort();
}
