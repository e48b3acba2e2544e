// The drift gate: figures of every scenario, their p-values corrected together, and the verdicts. Pure; `edits` and
// `timeline` of the two typical runs are filled in by `describeTypical`, since they need the whole recordings.

import { isOneWay } from "../../cassette/index.js";
import { findFailures } from "./failures.js";
import { judgeFamilies, type Judged } from "./levels.js";
import { measure, sumOutcomes, toOutcomes, type GateScenario, type Measured } from "./measure.js";
import type {
  DistanceComparison,
  GateReport,
  GateSettings,
  OutcomeComparison,
  PooledReport,
  RuleFinding,
  ScenarioReport,
  TestResult,
  UnpairedScenario,
  Verdict,
} from "./report.js";
import { average, meanExcess, rateDifference } from "./statistics/effect.js";
import { permutationTest } from "./statistics/permutation.js";
import { createRandom } from "./statistics/random.js";
import { isPaired, stratifiedTest } from "./statistics/stratified.js";
import { judgeAll, judgeScenario } from "./verdict.js";

/** What {@link runGate} compares: runs by scenario, and the settings it judges them by. */
export interface GateInput {
  /** As the user named the sides. */
  base: string;
  candidate: string;
  scenarios: readonly GateScenario[];
  /** Scenarios on one side only. */
  unpaired: readonly UnpairedScenario[];
  settings: GateSettings;
  commands: GateReport["commands"];
  /** What the rules found, by scenario. */
  rules?: ReadonlyMap<string, readonly RuleFinding[]>;
}

/** Compares all scenarios. The same runs, settings and seed give the same report, whatever order the runs came in. */
export function runGate(
  input: GateInput,
  onProgress: (done: number, total: number) => void = () => undefined,
): GateReport {
  const { settings, scenarios: given, unpaired } = input;
  const sorted = [...given].sort((a, b) => (a.scenario < b.scenario ? -1 : 1));
  const measured = sorted.map((scenario, index) => {
    onProgress(index, sorted.length);
    return measure(scenario, settings.seed);
  });
  const pooled = measured.length > 1 ? poolTests(measured, settings) : undefined;
  const judged = judgeTests(measured, pooled, settings);
  const plannedLevel = planLevel(measured, settings.alpha);
  const scenarios = measured.map((figures, index) => toReport(figures, index, judged, input, plannedLevel));
  const pooledReport = pooled === undefined ? {} : toPooledReport(measured, pooled, judged, settings.alpha);
  const { verdict, reason } = judgeAll({
    scenarios,
    pooled: pooledReport,
    canDecide: {
      outcome: judged.pooledOutcome.canDecide[0] ?? false,
      distance: judged.pooledDistance.canDecide[0] ?? false,
    },
    rules: [...(input.rules?.values() ?? [])].flat(),
    unpaired,
    sharedOnly: settings.sharedOnly === true,
    gaps: measured.flatMap(({ gap }) => gap ?? []),
    alpha: settings.alpha,
  });
  const count = (wanted: Verdict): number => scenarios.filter((scenario) => scenario.verdict === wanted).length;
  const failures = findFailures({
    settings,
    verdict,
    reason,
    pooled: pooledReport,
    scenarios,
    unpaired: [...unpaired],
  });
  const only = (wanted: UnpairedScenario["side"]): string[] =>
    unpaired.filter(({ side }) => side === wanted).map(({ scenario }) => scenario);
  return {
    schemaVersion: 1,
    base: input.base,
    candidate: input.candidate,
    settings,
    verdict,
    reason,
    fails: failures.length > 0,
    failures,
    counts: {
      same: count("same"),
      drift: count("drift"),
      regression: count("regression"),
      inconclusive: count("inconclusive"),
    },
    pooled: pooledReport,
    scenarios,
    onlyBase: only("base"),
    onlyCandidate: only("candidate"),
    unpaired: [...unpaired],
    withoutOutcome: {
      base: sum(measured.map(({ withoutOutcome }) => withoutOutcome.base)),
      candidate: sum(measured.map(({ withoutOutcome }) => withoutOutcome.candidate)),
    },
    commands: input.commands,
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

type RawTest = Omit<TestResult, "adjusted">;

interface PooledTests {
  outcome?: RawTest;
  distance: RawTest;
}

function poolTests(measured: readonly Measured[], { seed, order }: GateSettings): PooledTests {
  const strata = strataOf(measured);
  const distance = permutationTest(
    measured.map(({ distances }) => distances),
    createRandom(seed, ""),
  );
  return {
    ...(strata.length === 0
      ? {}
      : {
          outcome: {
            test: isPaired(strata) ? "mcnemar" : "stratified-permutation",
            sides: 1,
            exact: true,
            ...stratifiedTest(strata),
          },
        }),
    distance: { test: "stratified-permutation", sides: sidesOf(order), ...distance },
  };
}

/** Under a one-way order the candidate can depart from the baseline alone. */
function sidesOf(order: GateSettings["order"]): 1 | 2 {
  return isOneWay(order) ? 1 : 2;
}

interface JudgedTests {
  outcome: Judged;
  distance: Judged;
  pooledOutcome: Judged;
  pooledDistance: Judged;
}

/** The four families of tests. A scenario with fewer runs than asked for is judged by the pooled tests alone. */
function judgeTests(
  measured: readonly Measured[],
  pooled: PooledTests | undefined,
  settings: GateSettings,
): JudgedTests {
  const isLarge = ({ base, candidate }: Measured): boolean =>
    Math.min(base.length, candidate.length) >= settings.minRuns;
  const single = (test: RawTest | undefined) => ({
    p: test === undefined ? [] : [test.p],
    attainable: test === undefined ? [] : [test.attainable],
  });
  const [outcome, distance, pooledOutcome, pooledDistance] = judgeFamilies(
    [
      {
        p: measured.map((figures) => figures.outcome?.test.p ?? 1),
        attainable: measured.map((figures) => (isLarge(figures) ? (figures.outcome?.test.attainable ?? 1) : 1)),
      },
      {
        p: measured.map(({ distanceTest }) => distanceTest.p),
        attainable: measured.map((figures) => (isLarge(figures) ? figures.distanceTest.attainable : 1)),
      },
      single(pooled?.outcome),
      single(pooled?.distance),
    ],
    settings.alpha,
  ) as [Judged, Judged, Judged, Judged];
  return { outcome, distance, pooledOutcome, pooledDistance };
}

/** The level of one scenario's test if all of them had runs enough, so that all families took their share. */
function planLevel(measured: readonly Measured[], alpha: number): number {
  const kinds = measured.some(({ outcome }) => outcome !== undefined && outcome.test.attainable < 1) ? 2 : 1;
  return alpha / (measured.length > 1 ? 2 * kinds : kinds) / Math.max(1, measured.length);
}

function toReport(
  measured: Measured,
  index: number,
  judged: JudgedTests,
  { settings, rules: all }: GateInput,
  plannedLevel: number,
): ScenarioReport {
  const { scenario, base, candidate, withoutOutcome, paths, typical, sampled, tolerances } = measured;
  const rules = all?.get(scenario) ?? [];
  const outcome = toOutcomeComparison(measured, judged.outcome.adjusted[index] ?? 1, settings.alpha);
  const test: TestResult = {
    test: "permutation",
    sides: sidesOf(settings.order),
    ...measured.distanceTest,
    adjusted: judged.distance.adjusted[index] ?? 1,
  };
  const distance: DistanceComparison = {
    ...toDistanceFigures([measured], test, settings.alpha),
    ...(sampled === undefined ? {} : { sampled }),
  };
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
  });
  return {
    scenario,
    ...decision,
    base,
    candidate,
    withoutOutcome,
    paths,
    ...(outcome === undefined ? {} : { outcome }),
    distance,
    typical,
    edits: [],
    timeline: [],
    contract: [],
    rules: [...rules],
    tolerances,
  };
}

function toOutcomeComparison({ outcome }: Measured, adjusted: number, alpha: number): OutcomeComparison | undefined {
  if (outcome === undefined) return undefined;
  const { stratum, test } = outcome;
  return {
    base: toOutcomes(stratum.base),
    candidate: toOutcomes(stratum.candidate),
    test: { test: "fisher", sides: 1, exact: true, ...test, adjusted },
    effect: { what: "success-rate", ...rateDifference([stratum], 1 - alpha), level: 1 - alpha },
  };
}

function toPooledReport(
  measured: readonly Measured[],
  pooled: PooledTests,
  judged: JudgedTests,
  alpha: number,
): PooledReport {
  const strata = strataOf(measured);
  const distance = { ...pooled.distance, adjusted: judged.pooledDistance.adjusted[0] ?? 1 };
  return {
    ...(pooled.outcome === undefined
      ? {}
      : {
          outcome: {
            base: sumOutcomes(strata, "base"),
            candidate: sumOutcomes(strata, "candidate"),
            test: { ...pooled.outcome, adjusted: judged.pooledOutcome.adjusted[0] ?? 1 },
            effect: { what: "success-rate", ...rateDifference(strata, 1 - alpha), level: 1 - alpha },
          },
        }),
    distance: toDistanceFigures(measured, distance, alpha),
  };
}

function toDistanceFigures(measured: readonly Measured[], test: TestResult, alpha: number): DistanceComparison {
  const mean = (what: "withinBase" | "withinCandidate"): number | undefined =>
    average(measured.flatMap(({ excess }) => excess[what] ?? []));
  const [withinBase, withinCandidate] = [mean("withinBase"), mean("withinCandidate")];
  return {
    ...(withinBase === undefined ? {} : { withinBase }),
    ...(withinCandidate === undefined ? {} : { withinCandidate }),
    between: average(measured.map(({ excess }) => excess.between)) ?? 0,
    test,
    effect: {
      what: "distance",
      ...meanExcess(
        measured.map(({ excess }) => excess),
        1 - alpha,
      ),
      level: 1 - alpha,
    },
  };
}

function strataOf(measured: readonly Measured[]) {
  return measured.flatMap(({ outcome }) => outcome?.stratum ?? []);
}
