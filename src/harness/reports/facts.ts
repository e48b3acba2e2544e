// Picks facts out of the gate's findings, so that all reports agree: the worst scenario, the first divergence to show, and the
// plain lines about one scenario.

import { defined } from "../../core/index.js";
import { nullHint } from "../../cassette/index.js";
import type {
  Edit,
  GateFailure,
  GateReport,
  Location,
  RunRef,
  ScenarioReport,
  UnpairedScenario,
} from "../drift/gate-report.js";
import { isAboutScenarios } from "../drift/failures.js";
import { lossOf, worstFirst } from "../drift/paths/ranking.js";
import { fewestRuns } from "../drift/verdict.js";
import { counted, grouped } from "../html/figures.js";
import { atMost } from "../text/at-most.js";
import { metricCell } from "./metrics.js";
import { decimal, distanceLine, outcomeLine } from "./figures.js";

/** The scenarios that make the gate fail. Reports mark only these as failing. */
export function failingNames({ failures }: GateReport): ReadonlySet<string> {
  return new Set(failures.flatMap(({ kind, scenario }) => (kind === "scenario" ? (scenario ?? []) : [])));
}

export function otherFailures({ failures }: GateReport): GateFailure[] {
  return failures.filter(({ kind }) => kind !== "scenario");
}

/** Joins the findings of the scenarios and all others. The group with the headline's finding comes first. */
export function headlineFirst<Item>(report: GateReport, scenarios: Item[], others: Item[]): Item[] {
  const isFirst = isAboutScenarios(report.headline, report.verdict, report.scenarios);
  return isFirst ? [...scenarios, ...others] : [...others, ...scenarios];
}

/** `otherFailures` without the one that the headline names. */
export function otherCauses(report: GateReport): GateFailure[] {
  return otherFailures(report).filter(({ reason }) => reason !== report.reason);
}

/** The place of a failure that belongs to no scenario: the candidate's typical run in the worst scenario. */
export function placeOfAll(report: GateReport): Location {
  const [worst] = worstFirst(report);
  return { file: worst?.typical.candidate ?? report.candidate, turn: 0 };
}

export function placeOfUnpaired({ rules, file }: UnpairedScenario): Location {
  return rules[0]?.location ?? { file, turn: 0 };
}

/** "43 of 55 scenarios are undecided" if the gate still passes, or "". */
export function undecidedText({ fails, counts, scenarios }: GateReport): string {
  if (fails || counts.inconclusive === 0) return "";
  const are = counts.inconclusive === 1 ? "is" : "are";
  return `${grouped(counts.inconclusive)} of ${counted(scenarios.length, "scenario")} ${are} undecided`;
}

/** The number of scenarios that are the same, but with too few runs to exclude chance. */
export function countFew({ scenarios, settings }: GateReport): number {
  return scenarios.filter((each) => each.verdict === "same" && fewestRuns(each) < settings.minRuns).length;
}

/** Counts the scenarios whose first difference is only the grouping of calls into turns, and names the order that allows it. */
export function orderLines({ scenarios }: GateReport): string[] {
  const differing = scenarios.filter(({ verdict, edits }) => verdict !== "same" && edits.length > 0);
  const orders = differing.flatMap((scenario) => firstEdit(scenario)?.allowedBy ?? []);
  if (orders.length === 0) return [];
  const order = orders.includes("unordered") ? "unordered" : orders[0];
  const of = `${grouped(orders.length)} of ${counted(differing.length, "scenario")} that differ`;
  return [`${of} first make the same calls in fewer or more turns. --order ${order ?? ""} ignores this`];
}

export function hintLines(report: GateReport): string[] {
  const differing = report.scenarios.filter(({ verdict }) => verdict !== "same");
  const hint = nullHint(differing.flatMap(({ edits }) => edits.map(({ drift }) => drift)));
  return [...orderLines(report), ...(hint === "" ? [] : [hint])];
}

/** "10 runs did not record an outcome: 4 of the baseline, 6 of the candidate". No line if all runs have one. */
export function withoutOutcomeLines({ base, candidate }: GateReport["withoutOutcome"]): string[] {
  const all = base + candidate;
  if (all === 0) return [];
  return [
    `${counted(all, "run")} did not record an outcome: ${grouped(base)} of the baseline, ${grouped(candidate)} of the candidate`,
  ];
}

const SHOWN_FAILED = 3;

/** "success was lost: 5 of 5 runs before, 2 of 5 now (failed: a, b, c and 1 more)". No line without a loss. */
export function lossLines(scenario: ScenarioReport): string[] {
  const { outcome, candidate } = scenario;
  if (outcome === undefined || lossOf(scenario) === 0) return [];
  const failed = candidate.filter(({ success }) => success === false).map(({ file }) => file);
  const more = failed.length - SHOWN_FAILED;
  const named = failed.slice(0, SHOWN_FAILED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  const { base, candidate: now } = outcome;
  const before = `${base.successes} of ${counted(base.runs, "run")} before`;
  return [`success was lost: ${before}, ${now.successes} of ${now.runs} now (failed: ${named})`];
}

/** The runs that the timeline of a scenario compares. */
export function shownRuns({
  base,
  candidate,
  typical,
}: Pick<ScenarioReport, "base" | "candidate" | "typical">): [RunRef | undefined, RunRef | undefined] {
  return [base.find(({ file }) => file === typical.base), candidate.find(({ file }) => file === typical.candidate)];
}

/** "compared: old/a.0.cassette.json, which succeeded", "with: new/a.2.cassette.json, which failed: expected …". No line for runs alike. */
export function contrastLines(scenario: ScenarioReport): string[] {
  const [old, now] = shownRuns(scenario);
  if (old?.success === undefined || now?.success === undefined || old.success === now.success) return [];
  return [`shown: ${old.file}, which ${endText(old)}`, `against: ${now.file}, which ${endText(now)}`];
}

/** "succeeded", or "failed: expected 2 to be 3". */
export function endText({ success, failure }: RunRef): string {
  if (success === true) return "succeeded";
  const [first = ""] = (failure ?? "").split("\n");
  return first === "" ? "failed" : `failed: ${first}`;
}

/** What a pass over all scenarios does not show, if some of them could not be judged alone. */
export function notShownLines({ verdict, counts, scenarios, pooled }: GateReport): string[] {
  if ((verdict !== "same" && verdict !== "better") || counts.inconclusive === 0) return [];
  const open = `${grouped(counts.inconclusive)} of ${counted(scenarios.length, "scenario")}`;
  const { effect } = pooled.outcome ?? {};
  const loss = effect === undefined || effect.low >= 0 ? undefined : decimal(-100 * effect.low, 1);
  return [
    `not shown: that each scenario is the same, because ${open} had too few runs to be judged alone`,
    ...(loss === undefined
      ? []
      : [`not shown: that no success was lost, because a loss of up to ${loss} points fits these runs`]),
  ];
}

interface Head {
  scenario: ScenarioReport;
  edit?: Edit;
  lost: string[];
  /** "cost: $0.041 → $0.052, +26.8% [+15.0%, +40.1%]", if the headline is about a metric. */
  grown?: string;
}

/** The headline's scenario, or the first that is not the same, and its first difference. Undefined if no scenario differs. */
export function headOf(report: GateReport): Head | undefined {
  const { headline } = report;
  for (const scenario of worstFirst(report)) {
    const [edit, lost] = [firstEdit(scenario), lossLines(scenario)];
    const isNamed = scenario.scenario === headline.scenario;
    if (!isNamed && scenario.verdict === "same" && edit === undefined && lost.length === 0) continue;
    const metric = isNamed ? scenario.metrics.find((each) => each.metric === headline.metric) : undefined;
    const grown = metric === undefined ? undefined : `${metric.metric}: ${metricCell(metric)}`;
    return { scenario, lost, ...defined({ edit, grown }) };
  }
  return undefined;
}

export function firstEdit({ edits, firstDivergence }: ScenarioReport): Edit | undefined {
  return firstDivergence === undefined ? undefined : edits[firstDivergence];
}

/** The place to open: the candidate's, or the baseline's if the candidate has none. */
export function placeOf({ base, candidate }: Edit): Location | undefined {
  return candidate ?? base;
}

/** "baseline turn 3, candidate turn 4". */
export function turnsOf({ base, candidate }: Edit): string {
  return [
    ...(base === undefined ? [] : [`baseline turn ${base.turn}`]),
    ...(candidate === undefined ? [] : [`candidate turn ${candidate.turn}`]),
  ].join(", ");
}

/** "cassettes/new/a.cassette.json:12", without the line number if it is unknown. */
export function locationText({ file, line }: Location): string {
  return line === undefined ? file : `${file}:${line}`;
}

const SHOWN_LINES_OF_A_KIND = 50;

/** The findings of one scenario as lines of unescaped text. */
export function scenarioLines(scenario: ScenarioReport): string[] {
  const { reason, withoutOutcome, edits, rules, contract, tolerances, outcome, distance } = scenario;
  const first = firstEdit(scenario);
  return [
    reason,
    ...withoutOutcomeLines(withoutOutcome),
    ...lossLines(scenario),
    ...contrastLines(scenario),
    ...(first === undefined ? [] : [`first divergence: ${editLine(first)}`]),
    ...(outcome === undefined ? [] : [outcomeLine(outcome)]),
    ...(distance === undefined ? [] : [distanceLine(distance)]),
    ...listed(rules, ({ rule, side, location, sentence }) => {
      return `rule ${rule} (${side}, ${locationText(location)}): ${sentence}`;
    }),
    ...listed(contract, ({ sentence }) => `contract: ${sentence}`),
    ...listed(edits, (edit) => `${edit.drift.kind}: ${editLine(edit)}`),
    ...listed(tolerances, ({ tolerance, tool, pointer, times }) => {
      return `tolerated ${counted(times, "time")}: ${tolerance} at ${tool}:${pointer}`;
    }),
  ];
}

function editLine(edit: Edit): string {
  const place = placeOf(edit);
  const because = edit.becauseOfSchema === true ? " The changed schema explains it." : "";
  const where = place === undefined ? "" : ` (${turnsOf(edit)}, ${locationText(place)})`;
  const allowed = allowedText(edit);
  return `${edit.drift.sentence}${because}${where}${allowed === "" ? "" : `, ${allowed}`}`;
}

/** "--order unordered allows it", or "" if more than the turns differ. */
export function allowedText({ allowedBy }: Edit): string {
  return allowedBy === undefined ? "" : `--order ${allowedBy} allows it`;
}

function listed<Item>(items: readonly Item[], line: (item: Item) => string): string[] {
  return atMost(items, SHOWN_LINES_OF_A_KIND, line, (more) => `and ${more} more`);
}
