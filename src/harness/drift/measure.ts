// The figures of one scenario before any verdict: paths, outcomes, distances, and the p-values of its own tests.

import { defined } from "../../core/index.js";
import { MAX_COMPARED_RUNS } from "../limits.js";
import {
  haveSamePaths,
  mostTypical,
  pathTable,
  distanceTable,
  toleratedIn,
  type GateRun,
  type TracedRun,
} from "./paths/path-table.js";
import type { ToleranceUse } from "../../cassette/index.js";
import { scenarioMetrics } from "./metrics/compare.js";
import type { MetricFigures } from "./metrics/figures.js";
import { wholeAmounts } from "./metrics/spending.js";
import { meanGrade } from "../scores/agreement.js";
import type { Outcomes, PathRow, RunRef } from "./gate-report.js";
import { distanceExcess, type DistanceEstimate } from "./statistics/effect.js";
import { fisherTest, type Counts, type ExactResult } from "./statistics/fisher.js";
import { passAt, passHat } from "./statistics/pass-at-k.js";
import { permutationTest, type DistanceTable } from "./statistics/permutation.js";
import type { PermutationResult } from "./statistics/relabeling.js";
import { createRandom } from "./statistics/random.js";
import type { Stratum } from "./statistics/stratified.js";

/** The runs of a scenario on both sides, at least one on each. */
export interface GateScenario {
  scenario: string;
  base: TracedRun[];
  candidate: TracedRun[];
}

/** A measured scenario as plain data: its runs without their paths, sorted by file. */
export interface MeasuredScenario {
  scenario: string;
  base: GateRun[];
  candidate: GateRun[];
  measured: Measured;
  metrics: MetricFigures[];
}

/** What the figures of a scenario depend on, besides its runs. */
export interface MeasureSettings {
  seed: number;
  alpha: number;
  /** The number of scenarios of the comparison. */
  scenarios: number;
}

/** Measures a scenario, and drops the paths of its runs. */
export function measureScenario(
  { scenario, base, candidate }: GateScenario,
  { seed, alpha, scenarios }: MeasureSettings,
): MeasuredScenario {
  const bare = (runs: readonly TracedRun[]): GateRun[] => inOrder(runs).map(({ trajectory: _, ...run }) => run);
  const measured = measure({ scenario, base, candidate }, seed);
  const metered = { scenario, base: bare(base), candidate: bare(candidate) };
  return { ...metered, measured, metrics: scenarioMetrics(metered, { seed, alpha }, scenarios) };
}

export interface Measured {
  scenario: string;
  base: RunRef[];
  candidate: RunRef[];
  paths: PathRow[];
  samePaths: boolean;
  /** True if a one-way order allows every difference between the sides. */
  isAllowed: boolean;
  typical: { base: string; candidate: string };
  /** A run that succeeded and one that failed, if success was lost or gained: the most typical ones. */
  contrast?: { base: string; candidate: string };
  distances: DistanceTable;
  excess: DistanceEstimate;
  distanceTest: PermutationResult;
  /** The number of runs of each side that were compared pair by pair, if not all were. */
  sampled?: { base: number; candidate: number };
  tolerances: ToleranceUse[];
  withoutOutcome: { base: number; candidate: number };
  /** Why the success rates are incomplete, if runs lack an outcome. */
  gap?: string;
  outcome?: { stratum: Stratum; test: ExactResult; better: ExactResult };
  /** The scenario whose outcomes these are too. */
  sharedWith?: string;
}

/** Measures a scenario. The same runs and seed give the same figures, in any order of runs. */
function measure({ scenario, base, candidate }: GateScenario, seed: number): Measured {
  const [old, now] = [inOrder(base), inOrder(candidate)];
  const { rows, labels } = pathTable(old, now);
  const random = createRandom(seed, scenario);
  const [oldSample, nowSample] = [sample(old, random), sample(now, random)];
  const distances = distanceTable(oldSample, nowSample);
  const isSampled = oldSample.length < old.length || nowSample.length < now.length;
  const sampled = [...oldSample, ...nowSample];
  const typicalOf = (side: "base" | "candidate", success?: boolean): string | undefined => {
    const [from, to] = side === "base" ? [0, distances.base] : [distances.base, distances.runs];
    const isWanted = (run: number): boolean => success === undefined || sampled[run]?.success === success;
    return sampled[mostTypical(distances, from, to, isWanted)]?.file;
  };
  const outcome = measureOutcome(old, now);
  const contrast = contrastOf(outcome, typicalOf);
  const gap = findGap(old, now);
  const toRef = ({ file, trajectory, turns, calls, success, failure, spending, scores }: TracedRun): RunRef => ({
    file,
    path: labels.get(trajectory.key) ?? "",
    ...defined({ success, failure }),
    turns,
    calls,
    ...(spending === undefined ? {} : wholeAmounts(spending)),
    ...(scores === undefined || scores.size === 0
      ? {}
      : { scores: Object.fromEntries([...scores].map(([name, grades]) => [name, meanGrade(grades)])) }),
  });
  return {
    scenario,
    base: old.map(toRef),
    candidate: now.map(toRef),
    paths: rows,
    samePaths: haveSamePaths(rows),
    isAllowed:
      old.some(({ trajectory }) => trajectory.isOneWay) &&
      distances.distances.every((far, place) => far === 0 || !isAcross(place, distances)),
    typical: { base: typicalOf("base") ?? "", candidate: typicalOf("candidate") ?? "" },
    ...defined({ contrast }),
    distances,
    excess: distanceExcess(distances),
    distanceTest: permutationTest([distances], random),
    tolerances: toleratedIn([...oldSample, ...nowSample], labels),
    withoutOutcome: { base: countWithoutOutcome(old), candidate: countWithoutOutcome(now) },
    ...defined({ gap }),
    ...(isSampled ? { sampled: { base: oldSample.length, candidate: nowSample.length } } : {}),
    ...defined({ outcome, sharedWith: [...old, ...now].find((run) => run.sharedWith !== undefined)?.sharedWith }),
  };
}

/** Undefined if the rates are the same, or if no run of the sample has the outcome. */
function contrastOf(
  outcome: Measured["outcome"],
  typicalOf: (side: "base" | "candidate", success: boolean) => string | undefined,
): Measured["contrast"] {
  if (outcome === undefined) return undefined;
  const { base: old, candidate: now } = outcome.stratum;
  const change = now.successes * old.runs - old.successes * now.runs;
  if (change === 0) return undefined;
  const [base, candidate] = [typicalOf("base", change < 0), typicalOf("candidate", change > 0)];
  return base === undefined || candidate === undefined ? undefined : { base, candidate };
}

function isAcross(place: number, { base, runs }: DistanceTable): boolean {
  return Math.floor(place / runs) < base && place % runs >= base;
}

/** Sorted by file, so that no result depends on the order of the runs. */
function inOrder(runs: readonly TracedRun[]): TracedRun[] {
  return [...runs].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
}

function sample(runs: readonly TracedRun[], random: { below(limit: number): number }): TracedRun[] {
  if (runs.length <= MAX_COMPARED_RUNS) return [...runs];
  const left = [...runs];
  const taken: TracedRun[] = Array.from(
    { length: MAX_COMPARED_RUNS },
    () => left.splice(random.below(left.length), 1)[0] as TracedRun,
  );
  return inOrder(taken);
}

function measureOutcome(base: readonly GateRun[], candidate: readonly GateRun[]): Measured["outcome"] {
  const stratum = { base: countSuccesses(base), candidate: countSuccesses(candidate) };
  if (stratum.base.runs === 0 || stratum.candidate.runs === 0) return undefined;
  const { base: old, candidate: now } = stratum;
  return { stratum, test: fisherTest(old, now, 1), better: fisherTest(now, old, 1) };
}

function countWithoutOutcome(runs: readonly GateRun[]): number {
  return runs.filter(({ success }) => success === undefined).length;
}

/** Describes missing outcomes. A run without an outcome may have crashed, so it must not count as the same. */
function findGap(base: readonly GateRun[], candidate: readonly GateRun[]): string | undefined {
  const [old, now] = [countWithoutOutcome(base), countWithoutOutcome(candidate)];
  const [oldKnown, nowKnown] = [base.length - old, candidate.length - now];
  if (oldKnown + nowKnown === 0) return undefined;
  if (nowKnown === 0) {
    return `no run of the candidate recorded an outcome, but ${oldKnown} of ${base.length} of the baseline did`;
  }
  if (oldKnown === 0) {
    return `no run of the baseline recorded an outcome, but ${nowKnown} of ${candidate.length} of the candidate did`;
  }
  return now === 0 ? undefined : `${now} of ${candidate.length} runs of the candidate did not record an outcome`;
}

function countSuccesses(runs: readonly GateRun[]): Counts {
  const known = runs.filter(({ success }) => success !== undefined);
  return { runs: known.length, successes: known.filter(({ success }) => success === true).length };
}

export function toOutcomes(counts: Counts): Outcomes {
  return { ...counts, passAt: passAt(counts), passHat: passHat(counts) };
}

/**
 * Adds up one side of all scenarios. pass@k and pass^k are means over the scenarios. k goes up to the fewest runs of any scenario on
 * either side, so the figures of both sides cover the same scenarios and the same k.
 */
export function sumOutcomes(strata: readonly Stratum[], which: keyof Stratum): Outcomes {
  const all = strata.map((stratum) => toOutcomes(stratum[which]));
  const fewest = strata.reduce((least, { base, candidate }) => Math.min(least, base.runs, candidate.runs), Infinity);
  const most = Number.isFinite(fewest) ? fewest : 0;
  const mean = (what: "passAt" | "passHat"): number[] =>
    Array.from({ length: most }, (_, k) => {
      const known = all.flatMap((outcomes) => outcomes[what][k] ?? []);
      return known.reduce((sum, value) => sum + value, 0) / known.length;
    });
  return {
    runs: all.reduce((sum, { runs }) => sum + runs, 0),
    successes: all.reduce((sum, { successes }) => sum + successes, 0),
    passAt: mean("passAt"),
    passHat: mean("passHat"),
  };
}
