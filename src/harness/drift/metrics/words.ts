// The words for metrics, shared by verdicts and reports.

import { grouped } from "../../html/figures.js";
import type { Estimate } from "../statistics/bootstrap.js";
import { isScore, type MetricFigures, type MetricName, type MetricSide, type SpendingMetric } from "./figures.js";

const NOUNS: Readonly<Record<SpendingMetric, string>> = {
  cost: "the cost",
  tokens: "the number of tokens",
  turns: "the number of turns",
  calls: "the number of tool calls",
  latency: "the latency",
};

/** "the cost", "the score helpful". */
export function nounOf(metric: MetricName): string {
  return isScore(metric) ? metric.replace("score:", "the score ") : NOUNS[metric];
}

const SHOWN_MODELS = 5;

/** "rose from $0.041 to $0.052 a run, +26.8% [+15.0%, +40.1%]". */
export function changeText(figures: MetricFigures): string {
  const { base, candidate, difference, unit } = figures;
  const [before, after] = [amountText(base.mean ?? 0, unit), amountText(candidate.mean ?? 0, unit)];
  const grown = difference?.value ?? 0;
  if (grown === 0) return `stayed at ${before} ${perText(unit)}`;
  return `${grown > 0 ? "rose" : "fell"} from ${before} to ${after} ${perText(unit)}, ${shiftText(figures)}`;
}

export function perText(unit: MetricFigures["unit"]): string {
  return unit === "points" ? "on average" : "a run";
}

/** "+26.8% [+15.0%, +40.1%]", or the difference for a score, or if the share, or only its interval, is unknown. Empty if both are. */
export function shiftText({ difference, relative, unit }: MetricFigures): string {
  const isShare =
    unit !== "points" && relative !== undefined && (relative.low !== undefined || difference?.low === undefined);
  if (isShare) return rangeText(relative, (value) => `${signed((100 * value).toFixed(1))}%`);
  if (difference === undefined) return "";
  return rangeText(difference, (value) => `${value < 0 ? "-" : "+"}${amountText(Math.abs(value), unit)}`);
}

function rangeText({ value, low, high }: Estimate, write: (value: number) => string): string {
  return low === undefined || high === undefined ? write(value) : `${write(value)} [${write(low)}, ${write(high)}]`;
}

function signed(number: string): string {
  return number.startsWith("-") ? number : `+${number}`;
}

/** "$0.0412", "1,234", "4.5", "820 ms". At least three significant digits. */
export function amountText(value: number, unit: MetricFigures["unit"]): string {
  if (value < 0) return `-${amountText(-value, unit)}`;
  if (unit === "USD") return `$${plain(value)}`;
  return unit === "ms" ? `${plain(value)} ms` : plain(value);
}

function plain(value: number): string {
  if (value >= 1_000) return grouped(Math.round(value));
  if (value === 0 || value >= 1) return String(Number(value.toFixed(2)));
  const text = value.toPrecision(3);
  return text.includes("e") ? text : String(Number(text));
}

/** "$4.12 in 100 runs", "at least $1.2 in 100 runs, 3 of them unpriced", "unknown in 100 runs". */
export function totalText(side: MetricSide, { metric, unit }: MetricFigures): string {
  const { runs, unknown, total } = side;
  const all = `${grouped(runs)} ${runs === 1 ? "run" : "runs"}`;
  if (isScore(metric)) return `known in ${grouped(runs - unknown)} of ${all}`;
  const among = `in ${all}`;
  if (unknown === 0) return `${amountText(total, unit)} ${among}`;
  if (unknown === runs && total === 0) return `unknown ${among}`;
  return `at least ${amountText(total, unit)} ${among}, ${grouped(unknown)} of them ${UNKNOWN[metric]}`;
}

const UNKNOWN: Readonly<Record<SpendingMetric, string>> = {
  cost: "unpriced",
  tokens: "without token counts",
  turns: "uncounted",
  calls: "uncounted",
  latency: "without recorded times",
};

/** Why a metric cannot be compared. */
export function unknownText({ metric, base, candidate }: MetricFigures, unpriced: readonly string[]): string {
  const sides = [
    ...(base.unknown === 0 ? [] : [`${base.unknown} of ${base.runs} runs of the baseline`]),
    ...(candidate.unknown === 0 ? [] : [`${candidate.unknown} of ${candidate.runs} runs of the candidate`]),
  ];
  const why = isScore(metric) ? "their tests did not record it" : WHY[metric](unpriced);
  return `${nounOf(metric)} is unknown in ${sides.join(" and ")}: ${why}`;
}

const WHY: Readonly<Record<SpendingMetric, (unpriced: readonly string[]) => string>> = {
  cost: (unpriced) =>
    unpriced.length === 0
      ? "not every turn has a cost, or a model and its tokens"
      : `no list has a price of ${listText(unpriced)}. --prices FILE sets prices`,
  tokens: () => "not every turn says its tokens",
  turns: () => "they were not counted",
  calls: () => "they were not counted",
  latency: () => "only answers that were streamed and recorded with their times have one",
};

export function listText(models: readonly string[]): string {
  const more = models.length - SHOWN_MODELS;
  return `${models.slice(0, SHOWN_MODELS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
