// The drift gate: measures every scenario, corrects all p-values together, and gives the verdicts. Pure. `describeTypical` adds the
// parts that need whole recordings.

import { defined } from "../../core/index.js";
import { findFailures } from "./failures.js";
import { writeHeadline } from "./headline.js";
import { judgeTests, planLevel, type JudgedTests } from "./levels.js";
import {
  measureScenario,
  sumOutcomes,
  toOutcomes,
  type GateScenario,
  type Measured,
  type MeasuredScenario,
} from "./measure.js";
import { pooledMetrics, type MeteredScenario, type PooledResults } from "./metrics/compare.js";
import type { MetricReport } from "./metrics/figures.js";
import { judgeMetrics, unpricedModels } from "./metrics/judge.js";
import { byName } from "./pooled-jobs.js";
import { poolDistances, poolTests, sidesOf, strataOf, type PooledTests } from "./pooled.js";
import { worstFirst } from "./paths/ranking.js";
import {
  VERDICTS,
  type DistanceComparison,
  type GateReport,
  type GateSettings,
  type OutcomeComparison,
  type PooledReport,
  type RuleFinding,
  type ScenarioReport,
  type TestResult,
  type UnpairedScenario,
  type Verdict,
} from "./gate-report.js";
import { average, meanExcess, rateDifference } from "./statistics/effect.js";
import { judgeAll, judgeScenario } from "./verdict.js";

/** The input of {@link runGate}: runs by scenario, and the settings to judge them by. */
export interface GateInput {
  /** Both sides as the user named them. */
  base: string;
  candidate: string;
  scenarios: readonly GateScenario[];
  unpaired: readonly UnpairedScenario[];
  settings: GateSettings;
  commands: GateReport["commands"];
  rules?: ReadonlyMap<string, readonly RuleFinding[]>;
}

/** Compares all scenarios. The same runs, settings and seed give the same report, in any order of runs. */
export function runGate({ scenarios, ...input }: GateInput): GateReport {
  const settings = { ...input.settings, scenarios: scenarios.length };
  return judgeGate({ ...input, scenarios: scenarios.map((each) => measureScenario(each, settings)) });
}

/** {@link runGate} for scenarios that are measured already. `tests` has the results of {@link pooledJobs}, if they are done already. */
export function judgeGate(
  input: Omit<GateInput, "scenarios"> & { scenarios: readonly MeasuredScenario[]; tests?: PooledResults },
): GateReport {
  const { settings, scenarios: given, unpaired, tests } = input;
  const named = byName(given);
  const measured = named.map((each) => each.measured);
  const pooled = measured.length > 1 ? poolTests(measured, settings, tests) : undefined;
  const { judged, metrics } = judgeEverything(measured, named, pooled, settings, tests);
  const plannedLevel = planLevel(measured, settings);
  const scenarios = measured.map((figures, index) => ({
    ...toReport(figures, index, judged, input, plannedLevel),
    metrics: named[index]?.metrics ?? [],
  }));
  const others = measured.filter((_, index) => scenarios[index]?.verdict !== "better");
  const pooledReport = pooled === undefined ? {} : toPooledReport(measured, others, pooled, judged, settings);
  const otherTest = pooledReport.others;
  const canOthersDecide = otherTest === undefined || otherTest.attainable * judged.shares <= settings.alpha;
  const { verdict, reason, about } = judgeAll({
    scenarios,
    pooled: pooledReport,
    metrics,
    canDecide: {
      outcome: judged.pooledOutcome.canDecide[0] ?? false,
      distance: (judged.pooledDistance.canDecide[0] ?? false) && canOthersDecide,
    },
    unpaired,
    sharedOnly: settings.sharedOnly === true,
    gaps: measured.flatMap(({ scenario, gap }) => (gap === undefined ? [] : [{ scenario, gap }])),
    minRuns: settings.minRuns,
    alpha: settings.alpha,
  });
  const count = (wanted: Verdict): number => scenarios.filter((each) => each.verdict === wanted).length;
  const total = (side: "base" | "candidate"): number =>
    measured.reduce((sum, { withoutOutcome }) => sum + withoutOutcome[side], 0);
  const judgedAll = { settings, verdict, reason, pooled: pooledReport, metrics, unpaired: [...unpaired] };
  const headline = writeHeadline({ ...judgedAll, scenarios }, about);
  const sorted = worstFirst({ scenarios, verdict, pooled: pooledReport, settings, headline });
  const failures = findFailures({ ...judgedAll, headline, scenarios: sorted });
  const only = (wanted: UnpairedScenario["side"]): string[] =>
    unpaired.filter(({ side }) => side === wanted).map(({ scenario }) => scenario);
  return {
    schemaVersion: 1,
    base: input.base,
    candidate: input.candidate,
    settings,
    verdict,
    reason,
    headline,
    fails: failures.length > 0,
    failures,
    counts: Object.fromEntries(VERDICTS.map((wanted) => [wanted, count(wanted)])) as Record<Verdict, number>,
    pooled: pooledReport,
    metrics,
    scenarios,
    onlyBase: only("base"),
    onlyCandidate: only("candidate"),
    unpaired: [...unpaired],
    withoutOutcome: { base: total("base"), candidate: total("candidate") },
    commands: input.commands,
  };
}

/** Judges all tests together, because they share alpha. */
function judgeEverything(
  measured: readonly Measured[],
  metered: readonly MeteredScenario[],
  pooled: PooledTests | undefined,
  settings: GateSettings,
  tests: PooledResults | undefined,
): { judged: JudgedTests; metrics: MetricReport } {
  const { thresholds = [], alpha } = settings;
  const raw = pooledMetrics(metered, settings, tests);
  const hasThreshold = raw.map(({ metric }) => thresholds.some((each) => each.metric === metric));
  const compared = raw.map(({ test }, index) => ({ test, hasThreshold: hasThreshold[index] ?? false }));
  const judged = judgeTests(measured, pooled, compared, settings);
  const unpriced = unpricedModels(metered.flatMap(({ base, candidate }) => [...base, ...candidate]));
  const terms = { thresholds, alpha, shares: judged.shares, scenarios: metered.length, unpriced };
  return { judged, metrics: judgeMetrics(raw, judged.metrics, terms) };
}

function toReport(
  measured: Measured,
  index: number,
  judged: JudgedTests,
  { settings, scenarios: given, rules: all }: Pick<GateInput, "settings" | "rules"> & { scenarios: readonly unknown[] },
  plannedLevel: number,
): Omit<ScenarioReport, "metrics"> {
  const { scenario, base, candidate, withoutOutcome, paths, typical, contrast, sampled, tolerances } = measured;
  const rules = all?.get(scenario) ?? [];
  const adjusted = { test: judged.outcome.adjusted[index] ?? 1, better: judged.better.adjusted[index] ?? 1 };
  const outcome = measured.outcome && toOutcomeComparison(measured.outcome, adjusted, settings.alpha);
  const test: TestResult = {
    test: "permutation",
    sides: sidesOf(settings.order),
    ...measured.distanceTest,
    adjusted: judged.distance.adjusted[index] ?? 1,
  };
  const distance = { ...toDistanceFigures([measured], test, settings.alpha), ...defined({ sampled }) };
  const decision = judgeScenario({
    measured,
    ...(outcome === undefined
      ? {}
      : { outcome: { comparison: outcome, canDecide: judged.outcome.canDecide[index] ?? false } }),
    distance: { comparison: distance, canDecide: judged.distance.canDecide[index] ?? false },
    rules,
    alpha: settings.alpha,
    minRuns: settings.minRuns,
    plannedLevel,
    scenarios: given.length,
  });
  return {
    scenario,
    ...decision,
    base,
    candidate,
    withoutOutcome,
    paths,
    ...defined({ outcome }),
    distance,
    // Where other paths are the finding, the typical runs show them best.
    typical: decision.verdict === "drift" ? typical : (contrast ?? typical),
    edits: [],
    timeline: [],
    contract: [],
    rules: [...rules],
    tolerances,
  };
}

function toOutcomeComparison(
  { stratum, test, better }: NonNullable<Measured["outcome"]>,
  adjusted: { test: number; better: number },
  alpha: number,
): OutcomeComparison {
  const fisher = { test: "fisher", sides: 1, exact: true } as const;
  return {
    base: toOutcomes(stratum.base),
    candidate: toOutcomes(stratum.candidate),
    test: { ...fisher, ...test, adjusted: adjusted.test },
    better: { ...fisher, ...better, adjusted: adjusted.better },
    effect: { what: "success-rate", ...rateDifference([stratum], 1 - alpha), level: 1 - alpha },
  };
}

/** `others` are the scenarios that are not better. */
function toPooledReport(
  measured: readonly Measured[],
  others: readonly Measured[],
  pooled: PooledTests,
  judged: JudgedTests,
  { alpha, seed, order }: GateSettings,
): PooledReport {
  const strata = strataOf(measured);
  const distance = { ...pooled.distance, adjusted: judged.pooledDistance.adjusted[0] ?? 1 };
  const isPartBetter = others.length > 0 && others.length < measured.length;
  const ofOthers = isPartBetter ? poolDistances(others, seed, order) : undefined;
  return {
    ...(pooled.outcome === undefined
      ? {}
      : {
          outcome: {
            base: sumOutcomes(strata, "base"),
            candidate: sumOutcomes(strata, "candidate"),
            test: { ...pooled.outcome.test, adjusted: judged.pooledOutcome.adjusted[0] ?? 1 },
            better: { ...pooled.outcome.better, adjusted: judged.pooledBetter.adjusted[0] ?? 1 },
            effect: { what: "success-rate", ...rateDifference(strata, 1 - alpha), level: 1 - alpha },
          },
        }),
    distance: toDistanceFigures(measured, distance, alpha),
    ...(ofOthers === undefined ? {} : { others: { ...ofOthers, adjusted: Math.min(1, ofOthers.p * judged.shares) } }),
  };
}

function toDistanceFigures(measured: readonly Measured[], test: TestResult, alpha: number): DistanceComparison {
  const excesses = measured.map(({ excess }) => excess);
  const mean = (what: "withinBase" | "withinCandidate"): number | undefined =>
    average(excesses.flatMap((excess) => excess[what] ?? []));
  const [withinBase, withinCandidate] = [mean("withinBase"), mean("withinCandidate")];
  return {
    ...defined({ withinBase, withinCandidate }),
    between: average(excesses.map(({ between }) => between)) ?? 0,
    test,
    effect: { what: "distance", ...meanExcess(excesses, 1 - alpha), level: 1 - alpha },
  };
}
