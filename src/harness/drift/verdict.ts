// Judges each scenario and all of them together, and gives the reason for each verdict in a sentence.

import { plural } from "../../core/index.js";
import { MAX_NEEDED_RUNS } from "../limits.js";
import type { Measured } from "./measure.js";
import type { MetricReport } from "./metrics/figures.js";
import { unpairedHint } from "../../cassette/index.js";
import { ofVerdict } from "./paths/ranking.js";
import type {
  DistanceComparison,
  GateFailure,
  OutcomeComparison,
  PooledReport,
  RuleFinding,
  ScenarioReport,
  UnpairedScenario,
  Verdict,
} from "./gate-report.js";
import { apartText, betterText, gainText, samePathsText, toDigits, worseText, pText } from "./words.js";
import { runsNeeded, type Contrast } from "./statistics/needed.js";
import type { Counts } from "./statistics/fisher.js";

interface Decision {
  verdict: Verdict;
  reason: string;
  runsNeeded?: number;
}

/** The verdict over all scenarios, and the finding that decided it. */
export interface Overall {
  verdict: Verdict;
  reason: string;
  about: Pick<GateFailure, "kind" | "scenario" | "metric">;
}

interface ScenarioFigures {
  measured: Measured;
  outcome?: { comparison: OutcomeComparison; canDecide: boolean };
  distance: { comparison: DistanceComparison; canDecide: boolean };
  rules: readonly RuleFinding[];
  alpha: number;
  minRuns: number;
  /** The p-value that decides a single scenario if all scenarios have enough runs. */
  plannedLevel: number;
  /** The number of scenarios that share alpha. */
  scenarios: number;
}

/** Regression comes before drift, and drift before better. Runs are `same` only if the tests could have found a difference. */
export function judgeScenario(figures: ScenarioFigures): Decision {
  const { measured, outcome, distance, alpha, minRuns } = figures;
  const broken = brokenRules(figures.rules);
  if (broken !== undefined) return { verdict: "regression", reason: broken };
  if (outcome !== undefined && outcome.comparison.test.adjusted <= alpha) {
    return { verdict: "regression", reason: worseText(outcome.comparison) };
  }
  const gained = outcome !== undefined && isGain(outcome.comparison, measured, alpha) ? outcome.comparison : undefined;
  if (distance.comparison.test.adjusted <= alpha) {
    // A new path may explain the gain, such as a call that nobody would approve.
    const rose = gained === undefined ? "" : `, but success rose: ${gainText(gained)}`;
    return { verdict: "drift", reason: `${apartText(distance.comparison)}${rose}` };
  }
  if (gained !== undefined) return { verdict: "better", reason: betterText(gained) };
  const isWorse = outcome !== undefined && outcome.comparison.effect.value < 0;
  const isAlike = measured.samePaths || measured.isAllowed;
  const fewest = fewestRuns(measured);
  if (isAlike && !isWorse) {
    const few = fewest < minRuns ? `, but ${againstText(measured)} cannot show how runs vary` : "";
    return sameUnless(measured.gap, `${samePathsText(measured)}${few}`);
  }
  const isDecided = fewest >= minRuns && (isAlike || distance.canDecide) && (!isWorse || outcome.canDecide);
  if (isDecided) return sameUnless(measured.gap, `no difference beyond chance: ${figuresText(figures)}`);
  const decision = undecided(figures, fewest);
  return measured.gap === undefined ? decision : { ...decision, reason: `${measured.gap}, and ${decision.reason}` };
}

/** A gain needs every outcome: a run without one might change the result. */
function isGain({ better }: OutcomeComparison, { withoutOutcome, gap }: Measured, alpha: number): boolean {
  return better.adjusted <= alpha && withoutOutcome.base === 0 && gap === undefined;
}

export function fewestRuns({ base, candidate }: { base: readonly unknown[]; candidate: readonly unknown[] }): number {
  return Math.min(base.length, candidate.length);
}

function againstText({ base, candidate }: Measured): string {
  return `${plural(base.length, "run")} against ${candidate.length}`;
}

function sameUnless(gap: string | undefined, reason: string): Decision {
  return gap === undefined
    ? { verdict: "same", reason }
    : { verdict: "inconclusive", reason: `${gap}, so it may succeed less often` };
}

function undecided(figures: ScenarioFigures, fewest: number): Decision {
  const { measured, minRuns, plannedLevel } = figures;
  const needed = runsNeeded(contrastsOf(measured), plannedLevel);
  const isAlike = measured.samePaths || measured.isAllowed;
  const few =
    fewest < minRuns
      ? `the ${isAlike ? "outcomes" : "paths"} differ in ${againstText(measured)}, below the required ${minRuns}`
      : openTestText(figures, isAlike);
  const more =
    needed === undefined
      ? `more than ${MAX_NEEDED_RUNS} runs on each side would be needed`
      : `about ${Math.max(needed, minRuns)} runs on each side would decide it`;
  const decision: Decision = { verdict: "inconclusive", reason: `${few} (${more})` };
  return needed === undefined ? decision : { ...decision, runsNeeded: Math.max(needed, minRuns) };
}

/** Why a test cannot decide: "the paths differ in 5 runs against 5 (p = 0.0079), but 6 scenarios require p below 0.0042". */
function openTestText(
  { measured, outcome, distance, plannedLevel, alpha, scenarios }: ScenarioFigures,
  isAlike: boolean,
) {
  const isPaths = outcome === undefined || !(isAlike || distance.canDecide);
  const [what, { p }] = isPaths ? ["paths", distance.comparison.test] : ["outcomes", outcome.comparison.test];
  const why =
    scenarios > 1 ? `${scenarios} scenarios require` : plannedLevel < alpha ? "two tests require" : "the test requires";
  return `the ${what} differ in ${againstText(measured)} (p = ${toDigits(p)}), but ${why} p below ${toDigits(plannedLevel)}`;
}

function contrastsOf({ outcome, paths, base, candidate, isAllowed }: Measured): Contrast[] {
  const share = (side: "base" | "candidate", successes: number): Counts => ({
    runs: (side === "base" ? base : candidate).length,
    successes,
  });
  const contrasts = paths.map((row): Contrast & { gap: number } => ({
    base: share("base", row.base),
    candidate: share("candidate", row.candidate),
    sides: 2,
    gap: Math.abs(row.base / base.length - row.candidate / candidate.length),
  }));
  const widest = isAllowed ? [] : contrasts.sort((a, b) => b.gap - a.gap).slice(0, 1);
  return outcome === undefined ? widest : [...widest, { ...outcome.stratum, sides: 1 }];
}

interface OverallFigures {
  scenarios: readonly ScenarioReport[];
  pooled: PooledReport;
  metrics: MetricReport;
  canDecide: { outcome: boolean; distance: boolean };
  unpaired: readonly UnpairedScenario[];
  sharedOnly: boolean;
  gaps: readonly { scenario: string; gap: string }[];
  alpha: number;
  minRuns: number;
}

/** Judges all scenarios together. A scenario on only one side is a drift, unless `sharedOnly` is set. */
export function judgeAll(figures: OverallFigures): Overall {
  const { scenarios, pooled, unpaired, sharedOnly, alpha } = figures;
  const regressed = firstOf("regression", scenarios);
  if (regressed !== undefined) return regressed;
  for (const each of unpaired) {
    const reason = unpairedBreak(each);
    if (reason !== undefined) return found("regression", reason, { kind: "unpaired", scenario: each.scenario });
  }
  if (pooled.outcome !== undefined && pooled.outcome.test.adjusted <= alpha) {
    return found("regression", `over all scenarios ${worseText(pooled.outcome)}`, { kind: "pooled-outcome" });
  }
  const dearer = figures.metrics.all.find(({ verdict }) => verdict === "regression");
  if (dearer !== undefined) {
    return found("regression", dearer.reason ?? "", { kind: "metric", metric: dearer.metric });
  }
  const drifted = firstOf("drift", scenarios) ?? pooledDrift(figures);
  if (drifted !== undefined) return drifted;
  const [alone] = unpaired;
  if (alone !== undefined && !sharedOnly) {
    return found("drift", unpairedText(unpaired), { kind: "unpaired", scenario: alone.scenario });
  }
  const undrifted = judgeUndrifted(figures);
  if (undrifted.verdict !== "same" && undrifted.verdict !== "better") return undrifted;
  const open = figures.metrics.all.find(({ verdict }) => verdict === "inconclusive");
  if (open !== undefined) return found("inconclusive", open.reason ?? "", { kind: "metric", metric: open.metric });
  return judgeGain(figures) ?? undrifted;
}

function found(verdict: Verdict, reason: string, about: Overall["about"] = { kind: "verdict" }): Overall {
  return { verdict, reason, about };
}

function unpairedText(unpaired: readonly UnpairedScenario[]): string {
  const names = (wanted: UnpairedScenario["side"]): string[] =>
    unpaired.flatMap(({ side, scenario }) => (side === wanted ? [scenario] : []));
  const hint = unpairedHint(names("base"), names("candidate"));
  const why = hint === "" ? "" : `; ${hint}`;
  return `${plural(unpaired.length, "scenario")} on one side only${why}`;
}

/** Judges the paths over all scenarios. Better scenarios may take other paths, so the others alone must differ too. */
export function pooledDrift({
  scenarios,
  pooled: { distance, others },
  alpha,
}: Pick<OverallFigures, "scenarios" | "pooled" | "alpha">): Overall | undefined {
  if (distance === undefined || distance.test.adjusted > alpha) return undefined;
  const isAnyBetter = scenarios.some(({ verdict }) => verdict === "better");
  if (isAnyBetter && (others?.adjusted ?? 1) > alpha) return undefined;
  return found("drift", `over all scenarios ${apartText(distance)}`, { kind: "pooled-distance" });
}

function judgeGain({ scenarios, pooled: { outcome }, gaps, alpha }: OverallFigures): Overall | undefined {
  const gained = firstOf("better", scenarios);
  if (gained !== undefined) return openLoss(gained, scenarios) ?? gained;
  const isComplete = gaps.length === 0 && scenarios.every(({ withoutOutcome }) => withoutOutcome.base === 0);
  if (outcome === undefined || outcome.better.adjusted > alpha || !isComplete) return undefined;
  return found("better", `over all scenarios ${betterText(outcome)}`, { kind: "pooled-outcome" });
}

/** A gain in one scenario must not hide that another may have got worse. */
function openLoss(gained: Overall, scenarios: readonly ScenarioReport[]): Overall | undefined {
  const open = ofVerdict(scenarios, "inconclusive").find(({ outcome }) => (outcome?.effect.value ?? 0) < 0);
  if (open === undefined) return undefined;
  const reason = `${gained.reason}, but ${open.scenario} may succeed less often: ${open.reason}`;
  return found("inconclusive", reason, { kind: "scenario", scenario: open.scenario });
}

function judgeUndrifted({ scenarios, pooled, canDecide, gaps, minRuns }: OverallFigures): Overall {
  const [only] = scenarios;
  if (scenarios.length === 1 && only !== undefined) return ofScenario(only);
  const [open, ...more] = ofVerdict(scenarios, "inconclusive");
  if (open === undefined) return found("same", sameText(scenarios, minRuns));
  const [gap] = gaps;
  if (gap !== undefined) {
    const reason = `outcomes are missing in ${gaps.length} of ${plural(scenarios.length, "scenario")}, such as ${gap.scenario}: ${gap.gap}`;
    return found("inconclusive", reason, { kind: "scenario", scenario: gap.scenario });
  }
  const count = more.length + 1;
  if (canDecide.distance && (pooled.outcome === undefined || canDecide.outcome)) {
    const reason = `no difference beyond chance over all scenarios together, but ${count} of ${scenarios.length} have too few runs to be judged alone`;
    return found("same", reason);
  }
  const reason = `${count} of ${plural(scenarios.length, "scenario")} differ, but have too few runs to rule out chance`;
  return found("inconclusive", reason, { kind: "scenario", scenario: open.scenario });
}

function ofScenario({ verdict, reason, scenario }: ScenarioReport): Overall {
  return found(verdict, reason, { kind: "scenario", scenario });
}

function sameText(scenarios: readonly ScenarioReport[], minRuns: number): string {
  const few = scenarios.filter((scenario) => fewestRuns(scenario) < minRuns).length;
  const all = plural(scenarios.length, "scenario");
  if (few === 0) return `no difference beyond chance in ${all}`;
  return `nothing differs in ${all}, but ${few} of them ${few === 1 ? "has" : "have"} fewer than ${minRuns} runs on a side, too few to rule out a change`;
}

/** The decision of the first scenario of this verdict, which every report shows first. */
function firstOf(verdict: keyof typeof CHANGES, scenarios: readonly ScenarioReport[]): Overall | undefined {
  const all = ofVerdict(scenarios, verdict);
  const [first] = all;
  if (first === undefined) return undefined;
  if (scenarios.length === 1) return ofScenario(first);
  const reason = `${all.length} of ${plural(scenarios.length, "scenario")} ${CHANGES[verdict]} (${all.length > 1 ? "first: " : ""}${first.scenario}): ${first.reason}`;
  return found(verdict, reason, { kind: "scenario", scenario: first.scenario });
}

const CHANGES = { regression: "got worse", drift: "changed", better: "improved" } as const;

function brokenRules(rules: readonly RuleFinding[]): string | undefined {
  const kept = new Set(rules.filter(({ side }) => side === "base").map(({ rule }) => rule));
  const broken = rules.find(({ side, rule }) => side === "candidate" && !kept.has(rule));
  return broken === undefined ? undefined : `the candidate breaks a rule that the baseline keeps: ${broken.sentence}`;
}

export function unpairedBreak({ scenario, rules }: UnpairedScenario): string | undefined {
  const [first] = rules.filter(({ side }) => side === "candidate");
  return first === undefined
    ? undefined
    : `the candidate breaks a rule in ${scenario}, which the baseline does not have: ${first.sentence}`;
}

function figuresText({ outcome, distance }: ScenarioFigures): string {
  const paths = `paths ${pText(distance.comparison.test)}`;
  return outcome === undefined ? paths : `${paths}, outcomes ${pText(outcome.comparison.test)}`;
}
