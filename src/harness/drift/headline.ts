// The finding of the verdict in plain words: scenario, metric and figures of one and the same finding, without statistics.

import { plural } from "../../core/index.js";
import type { GateReport, Headline, OutcomeComparison, ScenarioReport, Verdict } from "./gate-report.js";
import { isScore, type MetricFigures } from "./metrics/figures.js";
import { allowanceText } from "./metrics/threshold.js";
import { amountText, nounOf } from "./metrics/words.js";
import { fewestRuns, unpairedBreak, type Overall } from "./verdict.js";

type Judged = Pick<GateReport, "settings" | "verdict" | "pooled" | "metrics" | "scenarios" | "unpaired">;

/** Writes the headline of the finding that decided the verdict. */
export function writeHeadline(judged: Judged, about: Overall["about"]): Headline {
  const written = write(judged, about);
  return { ...written, kind: about.kind };
}

function write(judged: Judged, { kind, scenario, metric }: Overall["about"]): Omit<Headline, "kind"> {
  const { verdict, scenarios, metrics } = judged;
  const found = scenarios.find((each) => each.scenario === scenario);
  const compared = metrics.all.find((each) => each.metric === metric);
  if (kind === "scenario" && found !== undefined) return ofScenario(found, judged);
  if (kind === "metric" && compared !== undefined) return ofMetric(compared, judged);
  if (kind === "pooled-outcome") return ofOutcomes(judged);
  if (kind === "pooled-distance") return ofPaths(judged);
  if (kind === "unpaired") return ofUnpaired(scenario ?? "", judged);
  return verdict === "same" ? ofSame(judged) : { sentence: `The verdict is ${verdict}.`, metric: "success" };
}

function ofScenario(found: ScenarioReport, { verdict, scenarios, settings }: Judged): Omit<Headline, "kind"> {
  const { scenario, outcome, rules } = found;
  const kept = new Set(rules.filter(({ side }) => side === "base").map(({ rule }) => rule));
  const broken = rules.find(({ side, rule }) => side === "candidate" && !kept.has(rule));
  const others = scenarios.filter((each) => each.verdict === verdict).length - 1;
  const more = others < 1 ? "" : ` ${plural(others, "more scenario")} ${MORE[verdict]}, too.`;
  const isPaths = verdict === "drift" || outcome === undefined || (verdict !== "better" && outcome.effect.value === 0);
  if (verdict === "regression" && broken !== undefined) {
    const sentence = `${scenario} breaks a rule that it kept before: ${withStop(broken.sentence)}${more}`;
    return { sentence, metric: "rules", scenario };
  }
  if (verdict === "same") return ofSame({ scenarios, settings });
  const figures = isPaths ? pathFigures(found) : outcomeFigures(outcome);
  const seen = isPaths ? pathText(found) : successText(outcome);
  if (verdict !== "inconclusive") {
    return { sentence: `${scenario} ${CHANGE[verdict]}: ${seen}.${more}`, scenario, ...figures };
  }
  const missing = found.withoutOutcome.base + found.withoutOutcome.candidate;
  const why = missing > 0 ? `${plural(missing, "run")} did not record an outcome` : "there are too few runs";
  const needed = found.runsNeeded;
  const advice = needed === undefined || missing > 0 ? "" : ` About ${needed} runs on each side would decide it.`;
  const sentence = `It is undecided whether ${scenario} changed: ${seen}, but ${why}.${advice}${more}`;
  return { sentence, scenario, ...figures };
}

const CHANGE = { regression: "got worse", drift: "does something else", better: "got better" } as const;
const MORE: Readonly<Record<Verdict, string>> = {
  regression: "got worse",
  drift: "changed",
  better: "got better",
  inconclusive: "could not be decided",
  same: "stayed the same",
};

function ofMetric(compared: GateReport["metrics"]["all"][number], judged: Judged): Omit<Headline, "kind"> {
  const { metric, unit, base, candidate, threshold, verdict } = compared;
  const noun = nounOf(metric);
  const [verb, worse] = isScore(metric) ? (["fell", -1] as const) : (["rose", 1] as const);
  const worsened = (scenario: ScenarioReport): number => {
    const figures = scenario.metrics.find((each): each is MetricFigures => each.metric === metric);
    return worse * (figures?.difference?.value ?? 0);
  };
  const most = largest(judged.scenarios, worsened);
  const where = most === undefined ? {} : { scenario: most.scenario };
  if (base.mean === undefined || candidate.mean === undefined) {
    const unknown = base.unknown + candidate.unknown;
    const sentence = `It is undecided whether ${noun} ${verb}, because it is unknown in ${plural(unknown, "run")}.`;
    return { sentence, metric, ...where };
  }
  const [before, now] = [amountText(base.mean, unit), amountText(candidate.mean, unit)];
  const allowed = threshold === undefined ? "" : `, and ${allowanceText(threshold)} is allowed`;
  const what = isScore(metric) ? capital(noun) : `${capital(noun)} of a run`;
  const change = `${what} ${verb} from ${before} to ${now}${allowed}`;
  const isOpen = verdict === "inconclusive";
  const sentence = `${change}${isOpen ? ", but there are too few runs to rule out chance" : ""}.${mostText(most, judged)}`;
  return { sentence, metric, ...where, base: before, candidate: now };
}

function ofOutcomes({ pooled: { outcome }, verdict, ...judged }: Judged): Omit<Headline, "kind"> {
  if (outcome === undefined) return { sentence: `The verdict is ${verdict}.`, metric: "success" };
  const sign = verdict === "better" ? 1 : -1;
  const most = largest(judged.scenarios, (scenario) => sign * (scenario.outcome?.effect.value ?? 0));
  const change = verdict === "better" ? "better" : "worse";
  const sentence = `Over all scenarios the candidate got ${change}: ${successText(outcome)}.${mostText(most, judged)}`;
  return { sentence, ...(most === undefined ? {} : { scenario: most.scenario }), ...outcomeFigures(outcome) };
}

function ofPaths(judged: Judged): Omit<Headline, "kind"> {
  const { scenarios } = judged;
  const most = largest(scenarios, ({ distance }) => distance?.effect.value ?? 0);
  const all = scenarios.map(newPaths);
  const total = { now: sum(all.map(({ now }) => now)), runs: sum(all.map(({ runs }) => runs)) };
  const seen = `in ${total.now} of ${plural(total.runs, "run")} it takes a path that the baseline never took`;
  const sentence = `Over all scenarios the candidate does something else: ${seen}.${mostText(most, judged)}`;
  return {
    sentence,
    metric: "paths",
    ...(most === undefined ? {} : { scenario: most.scenario }),
    candidate: `${total.now} of ${total.runs}`,
  };
}

function ofUnpaired(scenario: string, { unpaired, verdict }: Judged): Omit<Headline, "kind"> {
  const found = unpaired.find((each) => each.scenario === scenario);
  const broken = found === undefined || verdict !== "regression" ? undefined : unpairedBreak(found);
  if (broken !== undefined) return { sentence: withStop(capital(broken)), metric: "rules", scenario };
  const what =
    unpaired.length === 1 ? `${scenario} is` : `${plural(unpaired.length, "scenario")} (first: ${scenario}) are`;
  return { sentence: `${what} on one side only, so nothing can be compared there.`, metric: "scenarios", scenario };
}

function ofSame({
  scenarios,
  settings,
  pooled,
}: Pick<Judged, "scenarios" | "settings"> & Partial<Judged>): Omit<Headline, "kind"> {
  const outcome = scenarios.length === 1 ? scenarios[0]?.outcome : pooled?.outcome;
  const few = scenarios.some((each) => each.verdict === "same" && fewestRuns(each) < settings.minRuns);
  if (few) return { sentence: "Nothing differs, but there are too few runs to rule out a change.", metric: "paths" };
  if (outcome === undefined) return { sentence: "Nothing changed beyond chance.", metric: "paths" };
  return { sentence: `Nothing changed beyond chance: ${successText(outcome)}.`, ...outcomeFigures(outcome) };
}

/** "it succeeded in 6 of 6 runs before, and succeeds in 1 of 6 now". */
function successText({ base, candidate }: OutcomeComparison): string {
  const before = `${base.successes} of ${plural(base.runs, "run")}`;
  return `it succeeded in ${before} before, and succeeds in ${candidate.successes} of ${candidate.runs} now`;
}

function outcomeFigures({ base, candidate }: OutcomeComparison): Pick<Headline, "metric" | "base" | "candidate"> {
  const rate = ({ successes, runs }: OutcomeComparison["base"]): string => `${successes} of ${runs}`;
  return { metric: "success", base: rate(base), candidate: rate(candidate) };
}

function pathText(scenario: ScenarioReport): string {
  const { now, runs } = newPaths(scenario);
  const isEven = scenario.paths.every((path) => path.base * runs === path.candidate * scenario.base.length);
  if (now === 0) return `it takes the same paths as before${isEven ? "" : " at other rates"}`;
  return `in ${now} of ${plural(runs, "run")} it takes a path that it never took before`;
}

function pathFigures(scenario: ScenarioReport): Pick<Headline, "metric" | "base" | "candidate"> {
  const { now, runs } = newPaths(scenario);
  return { metric: "paths", base: `0 of ${scenario.base.length}`, candidate: `${now} of ${runs}` };
}

/** The candidate's runs whose path no run of the baseline took. */
function newPaths({ paths, candidate }: ScenarioReport): { now: number; runs: number } {
  return { now: sum(paths.filter(({ base }) => base === 0).map((path) => path.candidate)), runs: candidate.length };
}

function mostText(most: ScenarioReport | undefined, { scenarios }: Pick<Judged, "scenarios">): string {
  return most === undefined || scenarios.length === 1 ? "" : ` The largest change is in ${most.scenario}.`;
}

/** The scenario of the largest size above zero. The first wins a tie. */
function largest(
  scenarios: readonly ScenarioReport[],
  sizeOf: (scenario: ScenarioReport) => number,
): ScenarioReport | undefined {
  let [most, size] = [undefined as ScenarioReport | undefined, 0];
  for (const scenario of scenarios) {
    if (sizeOf(scenario) > size) [most, size] = [scenario, sizeOf(scenario)];
  }
  return most;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function withStop(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
