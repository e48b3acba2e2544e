// The metrics of a report as lines of plain text and as cells: what a run takes and how it scores on each side, and by how much that changed.

import {
  isScore,
  type MetricComparison,
  type MetricFigures,
  type MetricReport,
  type MetricSide,
} from "../drift/metrics/figures.js";
import { allowanceText, thresholdText } from "../drift/metrics/threshold.js";
import { amountText, listText, perText, shiftText, totalText } from "../drift/metrics/words.js";
import type { GateSettings } from "../drift/gate-report.js";
import { pText } from "../drift/words.js";
import { grouped } from "../html/figures.js";
import { agreementText } from "../scores/agreement.js";

/** The metrics over all scenarios, those that nothing is known of on one line, and how p-values were corrected. */
export function metricLines({ all, correction, unpriced }: MetricReport): string[] {
  const unknown = all.filter((metric) => isSilent(metric) && metric.threshold === undefined);
  const gated = all.some(({ threshold }) => threshold !== undefined);
  return [
    ...all.filter((metric) => !unknown.includes(metric)).map((metric) => metricLine(metric)),
    ...(unknown.length === 0 ? [] : [`not recorded: ${unknown.map(({ metric }) => metric).join(", ")}`]),
    ...agreementLines(all),
    ...(unpriced.length === 0 ? [] : [`no price of ${listText(unpriced)}. --prices FILE sets prices`]),
    ...(gated && correction !== "" ? [`metrics corrected by ${correction}`] : []),
  ];
}

/** The metrics of one scenario, as far as something is known of them. */
export function scenarioMetricLines(metrics: readonly MetricFigures[]): string[] {
  return metrics
    .filter((metric) => !isSilent(metric))
    .map((metric) => {
      return `${metric.metric.padEnd(9)} ${metric.difference === undefined ? totalsText(metric) : changeCell(metric)}`;
    });
}

/** "$0.041 → $0.052 a run, +26.8% [+15.0%, +40.1%]". */
function changeCell(metric: MetricFigures): string {
  return `${meanText(metric)}, ${shiftText(metric)}`;
}

function totalsText(metric: MetricFigures): string {
  return `${totalText(metric.base, metric)} → ${totalText(metric.candidate, metric)}`;
}

/** "cost      $0.041 → $0.052 a run, +26.8% [+15.0%, +40.1%], in sum $4.12 → $5.23, more? p = 0.0001 (…), allowed +20%: regression". */
export function metricLine(metric: MetricComparison): string {
  const { base, candidate, test } = metric;
  const name = metric.metric.padEnd(9);
  const figures =
    test === undefined && metric.difference === undefined
      ? totalsText(metric)
      : `${changeCell(metric)}${isScore(metric.metric) ? "" : `, in sum ${sumText(base, metric)} → ${sumText(candidate, metric)}`}`;
  const tested = test === undefined ? "" : `, ${metricTestText(metric)}`;
  return `${name} ${figures}${tested}${verdictText(metric)}`;
}

/** "more? p = 0.0001, corrected 0.0003 (stratified permutation, 9999 draws, one-sided)". */
export function metricTestText({ metric, test, difference }: MetricComparison): string {
  if (test === undefined) return "";
  if (test.attainable === 1) return difference?.value === 0 ? "no difference to test" : "these runs cannot be tested";
  const how = test.exact ? "exact" : `${test.draws ?? 0} draws`;
  return `${isScore(metric) ? "lower" : "more"}? ${pText(test)} (${test.test.replace("-", " ")}, ${how}, one-sided)`;
}

/** ", allowed +20%: regression", or "" without a threshold. */
export function verdictText({ threshold, verdict }: MetricComparison): string {
  return threshold === undefined ? "" : `, allowed ${allowanceText(threshold)}: ${verdict ?? "inconclusive"}`;
}

/** "$0.041 → $0.052 a run". */
function meanText(metric: MetricFigures): string {
  return `${meansText(metric)} ${perText(metric.unit)}`;
}

/** "$0.041 → $0.052". */
export function meansText({ base, candidate, unit }: MetricFigures): string {
  return `${amountText(base.mean ?? 0, unit)} → ${amountText(candidate.mean ?? 0, unit)}`;
}

/** A cell of a table: "$0.041 → $0.052, +26.8% [+15.0%, +40.1%]". */
export function metricCell(metric: MetricFigures): string {
  if (isSilent(metric)) return "unknown";
  if (metric.difference === undefined) {
    return totalsText(metric);
  }
  return `${meansText(metric)}, ${shiftText(metric)}`;
}

/** "$4.12", or "41,000 (40,000 in, 12,000 of them cached, 1,000 out)". */
export function sumText({ total, kinds }: MetricSide, { unit }: MetricFigures): string {
  const sum = amountText(total, unit);
  if (kinds === undefined) return sum;
  const { input, output, cacheRead, cacheWrite } = kinds;
  const cached = [
    ...(cacheRead === undefined ? [] : [`${grouped(cacheRead)} read from a cache`]),
    ...(cacheWrite === undefined ? [] : [`${grouped(cacheWrite)} written to one`]),
  ];
  return `${sum} (${[`${grouped(input)} in`, ...cached, `${grouped(output)} out`].join(", ")})`;
}

/** The models without a price, the correction of the p-values, and the reasons of the verdicts. */
export function metricNotes({ all, correction, unpriced }: MetricReport): string[] {
  const reasons = all.flatMap(({ metric, verdict, reason }) =>
    reason === undefined ? [] : [`${metric}: ${verdict ?? ""}, ${reason}`],
  );
  return [
    ...reasons,
    ...agreementLines(all),
    ...(unpriced.length === 0 ? [] : [`No price of ${listText(unpriced)}. --prices FILE sets prices`]),
    ...(correction === "" ? [] : [`p-values corrected by ${correction}`]),
  ];
}

/** How far the repeated grades of each score agree. */
function agreementLines(all: readonly MetricComparison[]): string[] {
  return all.flatMap(({ metric, agreement }) =>
    agreement === undefined ? [] : [`${metric}: ${agreementText(agreement)}`],
  );
}

/** True if nothing is known of a metric on either side. */
export function isSilent({ base, candidate }: MetricFigures): boolean {
  return [base, candidate].every(({ runs, unknown, total }) => unknown === runs && runs > 0 && total === 0);
}

/** "regression, drift, cost:+20%", as `--fail-on` takes it. `none` is the word for no verdict. */
export function failOnText({ failOn, thresholds = [] }: GateSettings, none: string): string {
  const words = [...failOn, ...thresholds.map(thresholdText)];
  if (words.length === 0) return none;
  return words.join(",");
}
