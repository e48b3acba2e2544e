// Compares what the runs of both sides take and how they score, for each scenario and over all.

import { defined } from "../../../core/index.js";
import type { GateRun } from "../paths/path-table.js";
import { drawsFor, meanDifference, type Shift } from "../statistics/bootstrap.js";
import { meanDifferenceTest, type Amounts } from "../statistics/mean-difference.js";
import { createRandom } from "../statistics/random.js";
import type { PermutationResult } from "../statistics/relabeling.js";
import type { TestResult } from "../statistics/test-result.js";
import {
  isScore,
  METRICS,
  type MetricFigures,
  type MetricName,
  type MetricSide,
  type ScoreMetric,
  type SpendingMetric,
} from "./figures.js";
import { agreementOf, meanGrade } from "../../scores/agreement.js";
import type { RunAmount, TokenKinds } from "./spending.js";

/** The runs of a scenario, sorted by file on each side. */
export interface MeteredScenario {
  scenario: string;
  base: readonly GateRun[];
  candidate: readonly GateRun[];
}

/** A metric over all scenarios before its p-value is corrected. */
export type RawMetric = MetricFigures & { test?: Omit<TestResult, "adjusted"> };

export interface MetricSettings {
  alpha: number;
  seed: number;
}

/** A test over all scenarios, and for a metric its difference, which takes as long to draw. */
export type PooledResult = PermutationResult & { shift?: Shift };

/** The results by name: "paths", or the metric. */
export type PooledResults = ReadonlyMap<string, PooledResult>;

const UNITS: Readonly<Record<SpendingMetric, MetricFigures["unit"]>> = {
  cost: "USD",
  tokens: "tokens",
  turns: "turns",
  calls: "calls",
  latency: "ms",
};

/** The metrics of one scenario of `all`. */
export function scenarioMetrics(scenario: MeteredScenario, settings: MetricSettings, all: number): MetricFigures[] {
  return metricsOf([scenario]).map((metric) => {
    const shiftOf = (strata: readonly Amounts[]) => drawShift(metric, strata, settings, scenario.scenario, all);
    return figuresOf(metric, [scenario], settings.alpha, shiftOf).figures;
  });
}

/** What every run takes, and the scores that any run has, by name. */
function metricsOf(scenarios: readonly MeteredScenario[]): MetricName[] {
  const runs = scenarios.flatMap(({ base, candidate }) => [...base, ...candidate]);
  const names = new Set(runs.flatMap(({ scores }) => [...(scores?.keys() ?? [])]));
  return [...METRICS, ...[...names].sort().map((name): ScoreMetric => `score:${name}`)];
}

const hasScore = (metric: ScoreMetric, { scores }: GateRun): boolean => gradesOf(metric, scores) !== undefined;

function gradesOf(metric: ScoreMetric, scores: GateRun["scores"]): readonly number[] | undefined {
  return scores?.get(metric.slice("score:".length));
}

/** The metrics over all scenarios, with their tests. */
export function pooledMetrics(
  scenarios: readonly MeteredScenario[],
  settings: MetricSettings,
  done?: PooledResults,
): RawMetric[] {
  return metricsOf(scenarios).map((metric) => {
    const given = done?.get(metric);
    const shiftOf = (strata: readonly Amounts[]) => given?.shift ?? drawShift(metric, strata, settings);
    const { figures, strata } = figuresOf(metric, scenarios, settings.alpha, shiftOf);
    if (strata === undefined) return figures;
    const isPaired = strata.every(({ base, candidate }) => base.length === 1 && candidate.length === 1);
    const pooledTest = isPaired ? "paired-permutation" : "stratified-permutation";
    const kind = { test: strata.length === 1 ? "permutation" : pooledTest, sides: 1 } as const;
    const { shift: _, ...test } = given ?? metricTest(metric, strata, settings.seed);
    return { ...figures, test: { ...kind, ...test } };
  });
}

/** The amounts of each metric that every run has, by scenario. */
export function comparedAmounts(all: readonly MeteredScenario[]): [MetricName, Amounts[]][] {
  return metricsOf(all).flatMap((metric): [MetricName, Amounts[]][] => {
    const scenarios = scenariosWith(metric, all);
    const runs = scenarios.flatMap(({ base, candidate }) => [...base, ...candidate]);
    const isKnown = runs.length > 0 && runs.every((run) => amountOf(metric, run).unknown === 0);
    return isKnown ? [[metric, toAmounts(metric, scenarios)]] : [];
  });
}

/** The test and the difference of a metric over all scenarios. */
export function drawMetric(metric: MetricName, amounts: readonly Amounts[], settings: MetricSettings): PooledResult {
  return { ...metricTest(metric, amounts, settings.seed), shift: drawShift(metric, amounts, settings) };
}

/** The difference of a metric over all scenarios, or of the scenario `label` of `all`. */
function drawShift(
  metric: MetricName,
  amounts: readonly Amounts[],
  { alpha, seed }: MetricSettings,
  label = "",
  all = 1,
): Shift {
  const options = { draws: drawsFor(all), ...(isScore(metric) ? { least: -Infinity } : {}) };
  return meanDifference(amounts, 1 - alpha, createRandom(seed, `${metric} ${label}`), options);
}

/** Tests whether the candidate takes more, or scores lower. */
function metricTest(metric: MetricName, amounts: readonly Amounts[], seed: number): PooledResult {
  const random = createRandom(seed, `test of ${metric}`);
  return meanDifferenceTest(isScore(metric) ? amounts.map(negated) : amounts, random);
}

function scenariosWith(metric: MetricName, all: readonly MeteredScenario[]): readonly MeteredScenario[] {
  if (!isScore(metric)) return all;
  return all.filter(({ base, candidate }) => [...base, ...candidate].some((run) => hasScore(metric, run)));
}

function toAmounts(metric: MetricName, scenarios: readonly MeteredScenario[]): Amounts[] {
  const amounts = (runs: readonly GateRun[]): number[] => runs.map((run) => amountOf(metric, run).value);
  return scenarios.map((each) => ({ base: amounts(each.base), candidate: amounts(each.candidate) }));
}

/** The test asks for more, and a score is worse if it is less. */
function negated({ base, candidate }: Amounts): Amounts {
  return { base: base.map((value) => -value), candidate: candidate.map((value) => -value) };
}

function figuresOf(
  metric: MetricName,
  all: readonly MeteredScenario[],
  alpha: number,
  shiftOf: (strata: readonly Amounts[]) => Shift,
): { figures: MetricFigures; strata?: Amounts[] } {
  const scenarios = scenariosWith(metric, all);
  const sides = (["base", "candidate"] as const).map((side) => scenarios.map((each) => each[side]));
  const [base, candidate] = sides.map((runs) => toSide(metric, runs.flat())) as [MetricSide, MetricSide];
  const figures = {
    ...{ metric, unit: isScore(metric) ? ("points" as const) : UNITS[metric], base, candidate, level: 1 - alpha },
    ...(isScore(metric) ? scoreFigures(metric, scenarios) : {}),
  };
  if (scenarios.length === 0 || base.unknown + candidate.unknown > 0) return { figures };
  const strata = toAmounts(metric, scenarios);
  const { means, difference, relative } = shiftOf(strata);
  return {
    figures: {
      ...figures,
      base: { ...base, mean: means.base },
      candidate: { ...candidate, mean: means.candidate },
      difference,
      ...defined({ relative }),
    },
    strata,
  };
}

function toSide(metric: MetricName, runs: readonly GateRun[]): MetricSide {
  const amounts = runs.map((run) => amountOf(metric, run));
  return {
    runs: runs.length,
    unknown: amounts.filter(({ unknown }) => unknown > 0).length,
    total: sum(amounts.map(({ value }) => value)),
    ...(metric === "tokens" ? { kinds: kindsOf(runs) } : {}),
  };
}

function scoreFigures(metric: ScoreMetric, scenarios: readonly MeteredScenario[]) {
  const runs = scenarios.flatMap(({ base, candidate }) => [...base, ...candidate]);
  const agreement = agreementOf(runs.map(({ scores }) => gradesOf(metric, scores) ?? []));
  return { scenarios: scenarios.length, ...defined({ agreement }) };
}

function amountOf(metric: MetricName, { turns, calls, spending, scores }: GateRun): RunAmount {
  if (isScore(metric)) {
    const grades = gradesOf(metric, scores);
    return grades === undefined ? { value: 0, unknown: 1 } : { value: meanGrade(grades), unknown: 0 };
  }
  if (metric === "turns") return { value: turns, unknown: 0 };
  if (metric === "calls") return { value: calls, unknown: 0 };
  return spending?.[metric] ?? { value: 0, unknown: Math.max(1, turns) };
}

function kindsOf(runs: readonly GateRun[]): TokenKinds {
  const total = (kind: keyof TokenKinds): number => sum(runs.map(({ spending }) => spending?.tokens[kind] ?? 0));
  const [cacheRead, cacheWrite] = [total("cacheRead"), total("cacheWrite")];
  return {
    input: total("input"),
    output: total("output"),
    ...(cacheRead === 0 ? {} : { cacheRead }),
    ...(cacheWrite === 0 ? {} : { cacheWrite }),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
