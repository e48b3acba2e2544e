// The figures of the metrics as data, part of the gate's report: what a run costs on each side, and by how much that changed.

import type { Estimate } from "../statistics/bootstrap.js";
import type { TestResult } from "../statistics/test-result.js";
import type { TokenKinds } from "./spending.js";

export type MetricName = "cost" | "tokens" | "turns" | "calls" | "latency";

export const METRICS: readonly MetricName[] = ["cost", "tokens", "turns", "calls", "latency"];

/** What `--fail-on` allows a metric to grow by, for each run: `cost:+20%` or `turns:+2`. */
export interface MetricThreshold {
  metric: MetricName;
  /** 0.2 for +20%. Otherwise USD, tokens, turns, calls or milliseconds. */
  amount: number;
  isRelative: boolean;
}

/** One side of a metric. */
export interface MetricSide {
  runs: number;
  /** Runs whose amount is unknown, at least in part. */
  unknown: number;
  /** The sum of all that is known. With `unknown` above 0, the sum is at least this. */
  total: number;
  /** Per run, each scenario with the same weight. Absent if the amount of any run is unknown. */
  mean?: number;
  /** For `tokens`: the known sums by kind. */
  kinds?: TokenKinds;
}

/** A metric of one scenario, or of all. */
export interface MetricFigures {
  metric: MetricName;
  unit: "USD" | "tokens" | "turns" | "calls" | "ms";
  base: MetricSide;
  candidate: MetricSide;
  /** The candidate's mean minus the baseline's. Absent if either is unknown. */
  difference?: Estimate;
  /** The same as a share of the baseline's mean: 0.2 is 20% more. Absent if that mean is 0. */
  relative?: Estimate;
  /** The confidence of the intervals, such as 0.95. */
  level: number;
}

/** A metric over all scenarios, and how it was judged. */
export interface MetricComparison extends MetricFigures {
  /** Tests whether the candidate takes more. Absent if the amount of any run is unknown. */
  test?: TestResult;
  /** Without a threshold, the metric has no verdict. */
  threshold?: MetricThreshold;
  /** `regression`: the metric grew beyond chance and by more than the threshold. */
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
