// What the history keeps of a report: verdicts, headline, success, scores and what a run takes. Anyone may have written the file, so
// every value is checked.

import { isPlainObject } from "../../../core/index.js";
import { VERDICTS, type GateReport, type OutcomeComparison, type Verdict } from "../../drift/gate-report.js";
import type { MetricFigures, MetricName } from "../../drift/metrics/figures.js";
import { isSilent } from "../metrics.js";

/** When a report was made: a date of ISO 8601 in UTC, with or without the time. `name`: the path has it. `file`: the file was changed then. */
export interface ReportDate {
  date: string;
  dateFrom: "name" | "file";
}

/** The means of a run on each side, absent where they are unknown. */
export interface PastMetric extends Pick<MetricFigures, "unit"> {
  metric: MetricName;
  base?: number;
  candidate?: number;
}

/** How often a side succeeded. */
interface PastSuccess {
  successes: number;
  runs: number;
}

export interface PastFigures {
  verdict: Verdict;
  /** Absent if no outcomes were compared. */
  success?: Record<"base" | "candidate", PastSuccess>;
  metrics: PastMetric[];
}

export interface PastReport extends PastFigures, ReportDate {
  /** The path of the file in the folder. */
  file: string;
  base: string;
  candidate: string;
  fails: boolean;
  /** The finding in plain words. */
  headline: string;
  scenarios: (PastFigures & { scenario: string })[];
}

/** A report of `cassette mutate`. */
export interface PastMutations extends ReportDate {
  file: string;
  noticed: number;
  survived: number;
  /** Mutants that no test loaded. */
  unused: number;
}

/** Throws a `TypeError` for a report that is not complete. */
export function toPastReport(file: string, when: ReportDate, report: GateReport): PastReport {
  const { base, candidate, verdict, fails, headline, reason, scenarios, pooled, metrics } =
    report as Partial<GateReport>;
  const all = listOf(scenarios).map((each) => ({ scenario: textOf(each.scenario), ...toFigures(each) }));
  // A report of one scenario has no tests over all.
  const success = pooled?.outcome === undefined && all.length === 1 ? all[0]?.success : toSuccess(pooled?.outcome);
  return {
    file,
    ...when,
    base: textOf(base),
    candidate: textOf(candidate),
    verdict: toVerdict(verdict),
    fails: fails === true,
    headline: textOf(headline?.sentence ?? reason),
    ...(success === undefined ? {} : { success }),
    metrics: toMetrics(metrics?.all),
    scenarios: all,
  };
}

function toFigures({ verdict, outcome, metrics }: GateReport["scenarios"][number]): PastFigures {
  const success = toSuccess(outcome);
  return {
    verdict: toVerdict(verdict),
    ...(success === undefined ? {} : { success }),
    metrics: toMetrics(metrics),
  };
}

function toVerdict(verdict: unknown): Verdict {
  const known = VERDICTS.find((each) => each === verdict);
  if (known === undefined) throw new TypeError("it has a verdict that does not exist");
  return known;
}

function toSuccess(outcome: OutcomeComparison | undefined): PastFigures["success"] {
  if (outcome === undefined) return undefined;
  const side = (which: "base" | "candidate"): PastSuccess => {
    const { successes, runs } = recordOf(outcome[which]);
    return { successes: numberOf(successes), runs: numberOf(runs) };
  };
  return { base: side("base"), candidate: side("candidate") };
}

/** Without the metrics of which nothing is known. */
function toMetrics(metrics: readonly MetricFigures[] | undefined): PastMetric[] {
  return listOf(metrics).flatMap((figures) => {
    const { metric, unit, base, candidate } = figures;
    if (isSilent(figures)) return [];
    return {
      metric: textOf(metric) as MetricName,
      unit: textOf(unit) as PastMetric["unit"],
      ...(base.mean === undefined ? {} : { base: numberOf(base.mean) }),
      ...(candidate.mean === undefined ? {} : { candidate: numberOf(candidate.mean) }),
    };
  });
}

function listOf<Item>(list: readonly Item[] | undefined): readonly Item[] {
  if (list === undefined) return [];
  if (list instanceof Array) return list;
  throw new TypeError("it has an object where a list must be");
}

function recordOf(value: unknown): Record<string, unknown> {
  if (isPlainObject(value)) return value;
  throw new TypeError("it lacks the outcomes of a side");
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError("it lacks a text");
}

function numberOf(value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new TypeError("it has a figure that is not a number");
}
