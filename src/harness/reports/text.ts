// Writes the gate's report for a terminal: the verdict, the figures over all scenarios, then each differing scenario, worst first.

import { createUseCounter, OFFER_HASHES_DIFFER, unpairedHint } from "../../cassette/index.js";
import { plural, toVisible } from "../../core/index.js";
import type {
  DistanceComparison,
  Effect,
  GateFailure,
  GateReport,
  GateSettings,
  OutcomeComparison,
  PathRow,
  RuleFinding,
  ScenarioReport,
  TestResult,
  UnpairedScenario,
} from "../drift/gate-report.js";
import { alphaText, pText } from "../drift/words.js";
import { WORST_FIRST, worstFirst } from "../drift/paths/ranking.js";
import {
  allowedText,
  contrastLines,
  locationText,
  lossLines,
  notShownLines,
  hintLines,
  otherCauses,
  undecidedText,
  withoutOutcomeLines,
} from "./facts.js";
import { failOnText, metricLines, scenarioMetricLines } from "./metrics.js";
import { atMost } from "../text/at-most.js";
import { toleranceLines } from "./tolerated.js";

const SHOWN_SCENARIOS = 20;
const SHOWN_PATHS = 6;
const SHOWN_NAMES = 12;

/** Writes the report, with recorded text escaped and a line break at the end. */
export function textReport(report: GateReport): string {
  const { verdict, reason, headline, counts, scenarios, pooled, settings, unpaired, commands, fails } = report;
  const shown = worstFirst(report).filter((scenario) => isShown(scenario, scenarios.length));
  const counted = WORST_FIRST.filter((each) => counts[each] > 0).map((each) => `${counts[each]} ${each}`);
  const undecided = undecidedText(report);
  const hint = unpairedHint(report.onlyBase, report.onlyCandidate);
  const lines = [
    headline.sentence,
    `${verdict}: ${reason}`,
    `  ${plural(scenarios.length, "scenario")}: ${counted.join(", ")}`,
    `  ${runsText(report)}`,
    ...causeLines(report),
    ...noOutcomeLines(report.withoutOutcome),
    ...(pooled.outcome === undefined ? [] : outcomeLines(pooled.outcome)),
    ...(pooled.distance === undefined ? [] : distanceLines(pooled.distance)),
    ...(pooled.others === undefined
      ? []
      : [`  paths of scenarios that are not better: ${testText(pooled.others, true)}`]),
    ...(scenarios.length === 0 ? [] : metricLines(report.metrics).map((line) => `  ${line}`)),
    ...unpairedLines("base", unpaired),
    ...unpairedLines("candidate", unpaired),
    ...(hint === "" || reason.includes(hint) ? [] : [`  ${hint}`]),
    ...atMost(
      shown,
      SHOWN_SCENARIOS,
      (each) => scenarioLines(each, scenarios.length),
      (more) => {
        return ["", `and ${plural(more, "more scenario")} that may differ. --reporter json lists them all`];
      },
    ).flat(),
    "",
    ...settingLines(settings),
    ...hintLines(report),
    ...(settings.rules === undefined ? [] : [`rules of ${settings.rules}: ${rulesText(report)}`]),
    ...tolerated(report),
    ...notShownLines(report),
    `${fails ? "fails" : "passes"} at alpha ${alphaText(settings.alpha)} with --fail-on ${failOnText(settings, "nothing")} --on-inconclusive ${settings.onInconclusive}${undecided === "" ? "" : ` (${undecided})`}`,
    `reproduce it: ${commands.reproduce}`,
    ...(verdict === "same" ? [] : acceptLines(commands)),
  ];
  return `${lines.map(toVisible).join("\n")}\n`;
}

/** A scenario that is the same is listed only if it is the only one, breaks a rule, or its offer changed. */
function isShown({ verdict, rules, contract, contractState }: ScenarioReport, all: number): boolean {
  return verdict !== "same" || all === 1 || rules.length + contract.length > 0 || contractState === "hashes-differ";
}

/** Lists each broken rule once per side, with its first place. */
function brokenLines(rules: readonly RuleFinding[], runs: Record<RuleFinding["side"], number>): string[] {
  const bySide = new Map<string, { first: RuleFinding; count: number }>();
  for (const finding of rules) {
    const key = JSON.stringify([finding.rule, finding.side]);
    const known = bySide.get(key);
    if (known === undefined) bySide.set(key, { first: finding, count: 1 });
    else known.count++;
  }
  return atMost(
    [...bySide.values()],
    SHOWN_NAMES,
    ({ first: { rule, side, sentence, location }, count }) => [
      `  rule ${rule} broken in ${count} of ${plural(runs[side], "run")} of the ${side === "base" ? "baseline" : side}: ${sentence}`,
      `    ${locationText(location)}`,
    ],
    (more) => [`  and ${plural(more, "more broken rule")}`],
  ).flat();
}

/** Other causes of failure, besides the headline and the scenarios. Scenarios on one side only are listed further down. */
function causeLines(report: GateReport): string[] {
  const causes = otherCauses(report);
  const isMissing = ({ kind, verdict }: GateFailure): boolean => kind === "unpaired" && verdict === "drift";
  const named = causes.filter((cause) => !isMissing(cause));
  const missing = `${plural(causes.length - named.length, "scenario")} on one side only`;
  const isSaid = named.length === causes.length || report.reason.startsWith(missing);
  const toLine = ({ verdict, reason }: GateFailure): string => `  also fails for ${verdict}: ${reason}`;
  return [
    ...atMost(named, SHOWN_NAMES, toLine, (more) => `  and ${more} more`),
    ...(isSaid ? [] : [`  also fails for drift: ${missing}`]),
  ];
}

function tolerated({ settings, scenarios }: GateReport): string[] {
  if (settings.tolerances === undefined) return [];
  const uses = createUseCounter();
  for (const { tolerances } of scenarios) uses.add(tolerances);
  const [heading, ...rest] = toleranceLines(settings.tolerances, uses.list());
  return [heading.trimStart(), ...rest.map((line) => line.slice(2))];
}

/** The settings of the path comparison that are not the defaults. */
function settingLines({ order, readOnly = [] }: GateSettings): string[] {
  return [
    ...(order === "strict" ? [] : [`order of calls: ${order}`]),
    ...(readOnly.length === 0 ? [] : [`read-only tools: ${readOnly.join(", ")}`]),
  ];
}

function rulesText({ scenarios, unpaired }: GateReport): string {
  const rules = [...scenarios, ...unpaired].flatMap((each) => each.rules);
  const broken = (wanted: RuleFinding["side"]): number =>
    new Set(rules.flatMap(({ side, rule }) => (side === wanted ? [rule] : []))).size;
  const [base, candidate] = [broken("base"), broken("candidate")];
  return base + candidate === 0 ? "all kept" : `${base} broken in the baseline, ${candidate} in the candidate`;
}

function runsText({ base, candidate, scenarios }: GateReport): string {
  const total = (side: "base" | "candidate"): number =>
    scenarios.reduce((sum, scenario) => sum + scenario[side].length, 0);
  return `${plural(total("base"), "run")} of ${base} against ${total("candidate")} of ${candidate}`;
}

function outcomeLines({ base, candidate, effect, test, better }: OutcomeComparison): string[] {
  const k = Math.min(base.passHat.length, candidate.passHat.length);
  const both = (what: "passHat" | "passAt"): string =>
    `${percent(base[what][k - 1])} → ${percent(candidate[what][k - 1])}`;
  const tested = effect.value > 0 ? `more often? ${testText(better, true)}` : testText(test, effect.value !== 0);
  return [
    `  success   ${base.successes}/${base.runs} → ${candidate.successes}/${candidate.runs}, ${effectText(effect)}, ${tested}`,
    ...(k > 1
      ? [`  all of ${k} runs succeed (pass^${k})  ${both("passHat")}, one of ${k} (pass@${k})  ${both("passAt")}`]
      : []),
  ];
}

function distanceLines({ withinBase, withinCandidate, between, effect, test }: DistanceComparison): string[] {
  const apart = `  paths     ${between.toFixed(3)} apart`;
  if (withinBase === undefined && withinCandidate === undefined) {
    return [`${apart}. Single runs do not show how far apart the runs of one side are`];
  }
  const within = [withinBase, withinCandidate].map((value) => value?.toFixed(3) ?? "unknown").join(" and ");
  return [`${apart}, within the sides ${within}, beyond that ${effectText(effect)}, ${testText(test, between > 0)}`];
}

function testText({ test, sides, exact, draws, ...rest }: TestResult, isDifferent: boolean): string {
  if (rest.attainable === 1) return isDifferent ? "these runs cannot be tested" : "no difference to test";
  const how = exact ? "exact" : `${draws ?? 0} draws`;
  return `${pText(rest)} (${test.replace("-", " ")}, ${how}${sides === 1 ? ", one-sided" : ""})`;
}

function effectText({ what, value, low, high }: Effect): string {
  const scale = (number: number): string =>
    what === "success-rate" ? signed((100 * number).toFixed(1)) : signed(number.toFixed(3));
  return `${scale(value)}${what === "success-rate" ? " points" : ""} [${scale(low)}, ${scale(high)}]`;
}

function signed(number: string): string {
  return number.startsWith("-") ? number : `+${number}`;
}

function percent(share: number | undefined): string {
  return share === undefined ? "?" : `${(100 * share).toFixed(0)}%`;
}

/** Lists the scenarios on one side only, those that break a rule first. */
function unpairedLines(wanted: UnpairedScenario["side"], all: readonly UnpairedScenario[]): string[] {
  const name = wanted === "base" ? "baseline" : wanted;
  const sorted = all.filter(({ side }) => side === wanted).sort((a, b) => b.rules.length - a.rules.length);
  const toLines = ({ scenario, rules, runs }: UnpairedScenario): string[] => [
    `  only in the ${name}: ${scenario}`,
    ...brokenLines(rules, { base: runs, candidate: runs }),
  ];
  return atMost(sorted, SHOWN_NAMES, toLines, (more) => [`  and ${more} more only in the ${name}`]).flat();
}

function acceptLines({ bless, notBlessed }: GateReport["commands"]): string[] {
  if (bless !== undefined) return [`accept it:    ${bless}`];
  return notBlessed === undefined ? [] : [`accept it:    not possible yet: ${notBlessed}`];
}

function noOutcomeLines(withoutOutcome: GateReport["withoutOutcome"]): string[] {
  return withoutOutcomeLines(withoutOutcome).map((line) => `  ${line}`);
}

function scenarioLines(scenarioReport: ScenarioReport, all: number): string[] {
  const { scenario, verdict, reason, withoutOutcome, paths, outcome, distance } = scenarioReport;
  const { edits, firstDivergence, contract, contractState, rules, base, candidate } = scenarioReport;
  const first = firstDivergence === undefined ? undefined : edits[firstDivergence];
  const place = first?.candidate ?? first?.base;
  const contractLine = ({ sentence }: ScenarioReport["contract"][number]): string => `  contract: ${sentence}`;
  return [
    "",
    `${scenario}: ${verdict}`,
    `  ${reason}`,
    ...noOutcomeLines(withoutOutcome),
    ...(outcome === undefined ? [] : outcomeLines(outcome)),
    ...(distance === undefined ? [] : distanceLines(distance)),
    // Those of the only scenario stand above.
    ...(all === 1 ? [] : scenarioMetricLines(scenarioReport.metrics).map((line) => `  ${line}`)),
    ...[...lossLines(scenarioReport), ...contrastLines(scenarioReport)].map((line) => `  ${line}`),
    ...pathLines(paths),
    ...(paths.length > SHOWN_PATHS ? [`  and ${plural(paths.length - SHOWN_PATHS, "more path")}`] : []),
    ...brokenLines(rules, { base: base.length, candidate: candidate.length }),
    ...(first === undefined ? [] : [`  first difference: ${first.drift.sentence}`]),
    ...(place === undefined ? [] : [`    ${locationText(place)}`]),
    ...(first?.allowedBy === undefined ? [] : [`    ${allowedText(first)}`]),
    ...(first?.becauseOfSchema === true ? ["    the schema of the tool changed there, too"] : []),
    ...atMost(
      contract,
      SHOWN_NAMES,
      contractLine,
      (more) => `  and ${plural(more, "more change")} of tools or settings`,
    ),
    ...(contractState === "hashes-differ" ? [`  contract: ${OFFER_HASHES_DIFFER}`] : []),
  ];
}

/** `A  3 → 0  get_user, find + find, …`: only the tools, with turns separated by commas. */
function pathLines(paths: readonly PathRow[]): string[] {
  const known = new Map<string, string>();
  return paths.slice(0, SHOWN_PATHS).map(({ label, steps, base, candidate }) => {
    const turns = steps.slice(0, SHOWN_NAMES).map((turn) => turn.map((call) => call.replace(/\(.*$/s, "")).join(" + "));
    const rest = steps.length > SHOWN_NAMES ? `, and ${plural(steps.length - SHOWN_NAMES, "more turn")}` : "";
    const text = `${steps.length === 0 ? "(no calls)" : turns.join(", ")}${rest}`;
    const alike = known.get(text);
    if (alike === undefined) known.set(text, label);
    const mark = alike === undefined ? "" : `  (like ${alike}, with other arguments)`;
    return `  ${label.padEnd(2)} ${base} → ${candidate}  ${text}${mark}`;
  });
}
