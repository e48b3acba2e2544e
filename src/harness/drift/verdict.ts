// From figures to a verdict and the sentence that gives its reason: for each scenario, and for all of them together.

import type { Measured } from "./measure.js";
import type {
  DistanceComparison,
  OutcomeComparison,
  PooledReport,
  RuleFinding,
  TestResult,
  UnpairedScenario,
  Verdict,
} from "./report.js";
import { MAX_NEEDED, runsNeeded, type Contrast } from "./statistics/needed.js";
import type { Counts } from "./statistics/fisher.js";

export interface Decision {
  verdict: Verdict;
  reason: string;
  runsNeeded?: number;
}

/** What the tests of one scenario came to. */
export interface ScenarioFigures {
  measured: Measured;
  outcome?: { comparison: OutcomeComparison; canDecide: boolean };
  distance: { comparison: DistanceComparison; canDecide: boolean };
  rules: readonly RuleFinding[];
  alpha: number;
  minRuns: number;
  /** What a single scenario would have to reach, had all of them runs enough. */
  plannedLevel: number;
}

/** Regression before drift; nothing is called the same that could not have been found different. */
export function judgeScenario(figures: ScenarioFigures): Decision {
  const { measured, outcome, distance, alpha, minRuns } = figures;
  const broken = brokenRules(figures.rules);
  if (broken !== undefined) return { verdict: "regression", reason: broken };
  if (outcome !== undefined && outcome.comparison.test.adjusted <= alpha) {
    return { verdict: "regression", reason: worseText(outcome.comparison) };
  }
  if (distance.comparison.test.adjusted <= alpha) return { verdict: "drift", reason: apartText(distance.comparison) };
  const isWorse = outcome !== undefined && outcome.comparison.effect.value < 0;
  const isAlike = measured.samePaths || measured.isAllowed;
  if (isAlike && !isWorse) return sameUnless(measured.gap, samePathsText(measured));

  const fewest = Math.min(measured.base.length, measured.candidate.length);
  const isDecided = fewest >= minRuns && (isAlike || distance.canDecide) && (!isWorse || outcome.canDecide);
  if (isDecided) return sameUnless(measured.gap, `no difference beyond chance: ${figuresText(figures)}`);
  const decision = undecided(figures, fewest);
  return measured.gap === undefined ? decision : { ...decision, reason: `${measured.gap}; ${decision.reason}` };
}

/** Whatever else was found, success that is not known is not the same. */
function sameUnless(gap: string | undefined, reason: string): Decision {
  return gap === undefined
    ? { verdict: "same", reason }
    : { verdict: "inconclusive", reason: `${gap}, so nobody knows whether it succeeds less often` };
}

function undecided({ measured, minRuns, plannedLevel }: ScenarioFigures, fewest: number): Decision {
  const needed = runsNeeded(contrastsOf(measured), plannedLevel);
  const seen = `${measured.base.length} ${measured.base.length === 1 ? "run" : "runs"} against ${measured.candidate.length}`;
  const what = measured.samePaths || measured.isAllowed ? "the outcomes differ" : "the paths differ";
  const few = fewest < minRuns ? `fewer than the ${minRuns} asked for` : "too few to tell from chance";
  const more =
    needed === undefined
      ? `more than ${MAX_NEEDED} runs on each side would be needed`
      : `about ${Math.max(needed, minRuns)} runs on each side would decide it`;
  return {
    verdict: "inconclusive",
    reason: `${what}, but ${seen} are ${few}; ${more}`,
    ...(needed === undefined ? {} : { runsNeeded: Math.max(needed, minRuns) }),
  };
}

/** The outcomes, and the path whose shares differ most. */
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

export interface OverallFigures {
  scenarios: readonly Decision[];
  pooled: PooledReport;
  /** Whether the pooled tests can decide. */
  canDecide: { outcome: boolean; distance: boolean };
  rules: readonly RuleFinding[];
  unpaired: readonly UnpairedScenario[];
  sharedOnly: boolean;
  /** Why success is not known, of each scenario where that is so. */
  gaps: readonly string[];
  alpha: number;
}

/** All scenarios together. A scenario on one side only is a drift unless the caller left it out. */
export function judgeAll(figures: OverallFigures): Decision {
  const { scenarios, pooled, rules, unpaired, sharedOnly, alpha } = figures;
  const count = (verdict: Verdict): number => scenarios.filter((scenario) => scenario.verdict === verdict).length;
  const broken = brokenRules(rules) ?? unpaired.map(unpairedBreak).find((reason) => reason !== undefined);
  if (broken !== undefined) return { verdict: "regression", reason: broken };
  if (count("regression") > 0) return alone("regression", scenarios);
  if (pooled.outcome !== undefined && pooled.outcome.test.adjusted <= alpha) {
    return { verdict: "regression", reason: `over all scenarios ${worseText(pooled.outcome)}` };
  }
  if (count("drift") > 0) return alone("drift", scenarios);
  if (pooled.distance !== undefined && pooled.distance.test.adjusted <= alpha) {
    return { verdict: "drift", reason: `over all scenarios ${apartText(pooled.distance)}` };
  }
  if (unpaired.length > 0 && !sharedOnly) {
    return { verdict: "drift", reason: `${scenarioText(unpaired.length)} on one side only` };
  }
  return judgeUndrifted(figures, count("inconclusive"));
}

/** No regression and no drift was found; `open` scenarios could not be judged. */
function judgeUndrifted({ scenarios, pooled, canDecide, gaps }: OverallFigures, open: number): Decision {
  const [only] = scenarios;
  if (scenarios.length === 1 && only !== undefined) return only;
  if (open === 0)
    return { verdict: "same", reason: `no difference beyond chance in ${scenarioText(scenarios.length)}` };
  if (gaps.length > 0) {
    return {
      verdict: "inconclusive",
      reason: `runs do not say how they ended in ${gaps.length} of ${scenarioText(scenarios.length)}; the first: ${gaps[0] ?? ""}`,
    };
  }
  if (canDecide.distance && (pooled.outcome === undefined || canDecide.outcome)) {
    return {
      verdict: "same",
      reason: `no difference beyond chance over all scenarios together; ${open} of ${scenarios.length} have too few runs to be judged alone`,
    };
  }
  const planned = scenarios.flatMap(({ runsNeeded: needed }) => needed ?? []);
  return {
    verdict: "inconclusive",
    reason: `${open} of ${scenarioText(scenarios.length)} differ, with too few runs to tell from chance`,
    ...(planned.length === 0 ? {} : { runsNeeded: Math.max(...planned) }),
  };
}

function alone(verdict: Verdict, scenarios: readonly Decision[]): Decision {
  const found = scenarios.filter((scenario) => scenario.verdict === verdict);
  const [first] = found;
  if (scenarios.length === 1 && first !== undefined) return first;
  return {
    verdict,
    reason: `${verdict} in ${found.length} of ${scenarioText(scenarios.length)}; the first: ${first?.reason ?? ""}`,
  };
}

function scenarioText(count: number): string {
  return `${count} ${count === 1 ? "scenario" : "scenarios"}`;
}

function brokenRules(rules: readonly RuleFinding[]): string | undefined {
  const kept = new Set(rules.filter(({ side }) => side === "base").map(({ rule }) => rule));
  const broken = rules.find(({ side, rule }) => side === "candidate" && !kept.has(rule));
  return broken === undefined ? undefined : `a rule is broken that the baseline keeps: ${broken.sentence}`;
}

/** No run of the baseline breaks a rule where there is none. */
export function unpairedBreak({ scenario, rules }: UnpairedScenario): string | undefined {
  const [first] = rules.filter(({ side }) => side === "candidate");
  return first === undefined
    ? undefined
    : `a rule is broken in ${scenario}, which only the candidate has: ${first.sentence}`;
}

function samePathsText({ paths, samePaths }: Measured): string {
  if (!samePaths) return "every difference is one that the order allows";
  return paths.length === 1 ? "every run took the same path" : "both sides took the same paths equally often";
}

/** "the candidate succeeds less often: 2 of 4 against 4 of 4 (p = 0.2)". */
export function worseText({ base, candidate, test }: OutcomeComparison): string {
  return `the candidate succeeds less often: ${rateText(candidate)} against ${rateText(base)} (${pText(test)})`;
}

/** "the runs take other paths: …". */
export function apartText({ between, effect, test }: DistanceComparison): string {
  return `the runs take other paths: distance ${between.toFixed(2)} between the sides, ${effect.value.toFixed(2)} beyond that within them (${pText(test)})`;
}

function figuresText({ outcome, distance }: ScenarioFigures): string {
  const paths = `paths ${pText(distance.comparison.test)}`;
  return outcome === undefined ? paths : `${paths}, outcomes ${pText(outcome.comparison.test)}`;
}

function rateText({ successes, runs }: { successes: number; runs: number }): string {
  return `${successes} of ${runs}`;
}

/** "p = 0.012, corrected 0.048". */
export function pText({ p, adjusted }: TestResult): string {
  return adjusted === p || adjusted === 1
    ? `p = ${toDigits(p)}`
    : `p = ${toDigits(p)}, corrected ${toDigits(adjusted)}`;
}

/** Two digits that say something, and an exponent for what is very small. */
export function toDigits(p: number): string {
  return p >= 0.001 || p === 0 ? String(Number(p.toPrecision(2))) : p.toExponential(1);
}
