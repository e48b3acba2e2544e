// The figures of the metrics as data, part of the gate's report: what a run takes and how it scores on each side, and by how much that changed.

import type { Agreement } from "../../scores/agreement.js";
import type { Estimate } from "../statistics/bootstrap.js";
import type { TestResult } from "../statistics/test-result.js";
import type { TokenKinds } from "./spending.js";

/** What every run takes. Less is better. */
export type SpendingMetric = "cost" | "tokens" | "turns" | "calls" | "latency";

/** A score that tests recorded, by its name. More is better. */
export type ScoreMetric = `score:${string}`;

export type MetricName = SpendingMetric | ScoreMetric;

export const METRICS: readonly SpendingMetric[] = ["cost", "tokens", "turns", "calls", "latency"];

export function isScore(metric: MetricName): metric is ScoreMetric {
  return metric.startsWith("score:");
}

/** What `--fail-on` allows a metric to get worse by, for each run: `cost:+20%`, `turns:+2` or `score:helpful:-0.1`. */
export interface MetricThreshold {
  metric: MetricName;
  /** 0.2 for +20%, and for -20% of a score. Otherwise USD, tokens, turns, calls, milliseconds or points of the score. */
  amount: number;
  isRelative: boolean;
}

/** One side of a metric. */
export interface MetricSide {
  runs: number;
  /** Runs whose amount is unknown, at least in part. */
  unknown: number;
  /** The sum of all that is known. With `unknown` above 0, the sum is at least this, except for a score. */
  total: number;
  /** Per run, each scenario with the same weight. Absent if the amount of any run is unknown. A score may be negative. */
  mean?: number;
  /** For `tokens`: the known sums by kind. */
  kinds?: TokenKinds;
}

/** A metric of one scenario, or of all. */
export interface MetricFigures {
  metric: MetricName;
  unit: "USD" | "tokens" | "turns" | "calls" | "ms" | "points";
  base: MetricSide;
  candidate: MetricSide;
  /** The candidate's mean minus the baseline's. Absent if either is unknown. */
  difference?: Estimate;
  /** The same as a share of the baseline's mean: 0.2 is 20% more. Absent if that mean is 0. */
  relative?: Estimate;
  /** The confidence of the intervals, such as 0.95. */
  level: number;
  /** For a score: the number of scenarios with a run that has it. Other scenarios do not count. */
  scenarios?: number;
  /** For a score with repeated grades: how well the repetitions agree. */
  agreement?: Agreement;
}

/** A metric over all scenarios, and how it was judged. */
export interface MetricComparison extends MetricFigures {
  /** Tests whether the candidate takes more, or scores lower. Absent if the amount of any run is unknown. */
  test?: TestResult;
  /** Without a threshold, the metric has no verdict. */
  threshold?: MetricThreshold;
  /** `regression`: the metric got worse beyond chance and by more than the threshold. */
  verdict?: "same" | "regression" | "inconclusive";
  /** The reason for the verdict, in one sentence. */
  reason?: string;
}

export interface MetricReport {
  all: MetricComparison[];
  /** How the p-values were corrected, in one sentence. */
  correction: string;
  /** Models of compared runs that have no price. */
  unpriced: string[];
}
