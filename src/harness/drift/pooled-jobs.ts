// The tests and differences over all scenarios that are drawn, as plain data: other threads can do them, with the same results.

import {
  comparedAmounts,
  drawMetric,
  type MeteredScenario,
  type MetricSettings,
  type PooledResult,
} from "./metrics/compare.js";
import type { MetricName } from "./metrics/figures.js";
import type { MeasuredScenario } from "./measure.js";
import { pathTest } from "./pooled.js";
import type { Amounts } from "./statistics/mean-difference.js";
import type { DistanceTable } from "./statistics/permutation.js";

/** The paths, or a metric. */
export type PooledJob =
  { test: "paths"; tables: readonly DistanceTable[] } | { test: MetricName; amounts: readonly Amounts[] };

/** The scenarios in the order of the report: the draws depend on it. */
export function byName<Named extends { scenario: string }>(scenarios: readonly Named[]): Named[] {
  return [...scenarios].sort((a, b) => (a.scenario < b.scenario ? -1 : 1));
}

export function pooledJobs(scenarios: readonly MeasuredScenario[]): PooledJob[] {
  const named = byName(scenarios);
  const metered: readonly MeteredScenario[] = named;
  const paths = { test: "paths", tables: named.map(({ measured }) => measured.distances) } as const;
  return [
    ...(named.length > 1 ? [paths] : []),
    ...comparedAmounts(metered).map(([test, amounts]) => ({ test, amounts })),
  ];
}

export function doPooledJob(job: PooledJob, settings: MetricSettings): PooledResult {
  return job.test === "paths" ? pathTest(job.tables, settings.seed) : drawMetric(job.test, job.amounts, settings);
}
