// What every report picks out of the gate's findings, in one place, so that all of them say the same: which scenario is the
// worst, which divergence a reader should see first, and what is said of one scenario in plain lines.

import type {
  Edit,
  GateFailure,
  GateReport,
  Location,
  ScenarioReport,
  UnpairedScenario,
  Verdict,
} from "../drift/report.js";
import { counted, grouped } from "../html/figures.js";
import { decimal, distanceLine, outcomeLine } from "./figures.js";

/** From worst to best: the order in which a reader wants them. */
export const WORST_FIRST: readonly Verdict[] = ["regression", "drift", "inconclusive", "same"];

/** The scenarios that make the gate fail; a report marks these as failing and no others. */
export function failingNames({ failures }: GateReport): ReadonlySet<string> {
  return new Set(failures.flatMap(({ kind, scenario }) => (kind === "scenario" ? (scenario ?? []) : [])));
}

/** What makes the gate fail besides its scenarios on both sides. */
export function otherFailures({ failures }: GateReport): GateFailure[] {
  return failures.filter(({ kind }) => kind !== "scenario");
}

/** Where a failure that is of no scenario in particular is shown: the worst scenario's typical run of the candidate. */
export function placeOfAll(report: GateReport): Location {
  const [worst] = worstFirst(report);
  return { file: worst?.typical.candidate ?? report.candidate, turn: 0 };
}

/** Where a scenario on one side only begins. */
export function placeOfUnpaired({ rules, file }: UnpairedScenario): Location {
  return rules[0]?.location ?? { file, turn: 0 };
}

/** "10 runs do not say how they ended: 4 of the baseline, 6 of the candidate"; no line where all do. */
export function withoutOutcomeLines({ base, candidate }: GateReport["withoutOutcome"]): string[] {
  const all = base + candidate;
  if (all === 0) return [];
  const who = all === 1 ? "run does not say how it" : "runs do not say how they";
  return [`${grouped(all)} ${who} ended: ${grouped(base)} of the baseline, ${grouped(candidate)} of the candidate`];
}

/**
 * The scenarios by verdict, then by how much success they lost, then by name. Where success was lost over all of them together,
 * what each lost comes before its verdict, since few of them can be judged alone.
 */
export function worstFirst({ scenarios, failures, pooled, settings }: GateReport): ScenarioReport[] {
  const isLostOverAll =
    failures.some(({ kind }) => kind === "pooled-outcome") || (pooled.outcome?.test.adjusted ?? 1) <= settings.alpha;
  const rank = ({ verdict }: ScenarioReport): number =>
    isLostOverAll && verdict !== "regression" ? 1 : WORST_FIRST.indexOf(verdict);
  return [...scenarios].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      lossOf(b) - lossOf(a) ||
      WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict) ||
      (a.scenario < b.scenario ? -1 : a.scenario > b.scenario ? 1 : 0),
  );
}

/** How much smaller the candidate's share of successes is, 0 to 1; 0 where it is not. */
export function lossOf({ outcome }: ScenarioReport): number {
  return Math.max(0, -(outcome?.effect.value ?? 0));
}

const MAX_FAILED = 3;

/** "success was lost: 5 of 5 runs before, 2 of 5 now; failed: a, b, c and 1 more". No line where none was. */
export function lossLines(scenario: ScenarioReport): string[] {
  const { outcome, candidate } = scenario;
  if (outcome === undefined || lossOf(scenario) === 0) return [];
  const failed = candidate.filter(({ success }) => success === false).map(({ file }) => file);
  const more = failed.length - MAX_FAILED;
  const named = failed.slice(0, MAX_FAILED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  const { base, candidate: now } = outcome;
  const before = `${base.successes} of ${counted(base.runs, "run")} before`;
  return [`success was lost: ${before}, ${now.successes} of ${now.runs} now; failed: ${named}`];
}

/** What a pass over all scenarios together does not show of each, where some could not be judged alone. No line elsewhere. */
export function notShownLines({ verdict, counts, scenarios, pooled }: GateReport): string[] {
  if (verdict !== "same" || counts.inconclusive === 0) return [];
  const open = `${grouped(counts.inconclusive)} of ${counted(scenarios.length, "scenario")}`;
  const { effect } = pooled.outcome ?? {};
  const loss = effect === undefined || effect.low >= 0 ? undefined : decimal(-100 * effect.low, 1);
  return [
    `not shown: that each scenario is the same; ${open} had too few runs to be judged alone`,
    ...(loss === undefined
      ? []
      : [`not shown: that no success was lost; a loss of up to ${loss} points fits these runs`]),
  ];
}

/** What a reader should see first: the worst scenario that differs or lost success, with its first difference if it has one. */
export interface Head {
  scenario: ScenarioReport;
  edit?: Edit;
  lost: string[];
}

/** Nothing where no scenario shows a difference. */
export function headOf(report: GateReport): Head | undefined {
  for (const scenario of worstFirst(report)) {
    const [edit, lost] = [firstEdit(scenario), lossLines(scenario)];
    if (edit === undefined && lost.length === 0) continue;
    return { scenario, lost, ...(edit === undefined ? {} : { edit }) };
  }
  return undefined;
}

/** The first difference of a scenario in the order of turns. */
export function firstEdit({ edits, firstDivergence }: ScenarioReport): Edit | undefined {
  return firstDivergence === undefined ? undefined : edits[firstDivergence];
}

/** The place to open: the candidate's, and the baseline's for what the candidate does not have. */
export function placeOf({ base, candidate }: Edit): Location | undefined {
  return candidate ?? base;
}

/** "baseline turn 3, candidate turn 4". */
export function turnsOf({ base, candidate }: Edit): string {
  const parts = [
    base === undefined ? undefined : `baseline turn ${base.turn}`,
    candidate === undefined ? undefined : `candidate turn ${candidate.turn}`,
  ];
  return parts.filter((part) => part !== undefined).join(", ");
}

/** "cassettes/new/a.cassette.json:12"; without the line where none is known. */
export function locationText({ file, line }: Location): string {
  return line === undefined ? file : `${file}:${line}`;
}

const MAX_LINES_OF_A_KIND = 50;

/** What was found of one scenario, as plain lines of unescaped text. */
export function scenarioLines(scenario: ScenarioReport): string[] {
  const { reason, withoutOutcome, edits, rules, contract, tolerances, outcome, distance } = scenario;
  const first = firstEdit(scenario);
  return [
    reason,
    ...withoutOutcomeLines(withoutOutcome),
    ...lossLines(scenario),
    ...(first === undefined ? [] : [`first divergence: ${editLine(first)}`]),
    ...(outcome === undefined ? [] : [outcomeLine(outcome)]),
    ...(distance === undefined ? [] : [distanceLine(distance)]),
    ...listed(
      rules,
      ({ rule, side, location, sentence }) => `rule ${rule} (${side}, ${locationText(location)}): ${sentence}`,
    ),
    ...listed(contract, ({ sentence }) => `offered otherwise: ${sentence}`),
    ...listed(edits, (edit) => `${edit.drift.kind}: ${editLine(edit)}`),
    ...listed(tolerances, ({ tolerance, tool, pointer, times }) => {
      return `tolerated ${counted(times, "time")}: ${tolerance} at ${tool}:${pointer}`;
    }),
  ];
}

/** One difference with its turns and its place. */
export function editLine(edit: Edit): string {
  const place = placeOf(edit);
  const because = edit.becauseOfSchema === true ? "; it follows from the changed schema" : "";
  const where = place === undefined ? "" : ` (${turnsOf(edit)}; ${locationText(place)})`;
  return `${edit.drift.sentence}${because}${where}`;
}

function listed<Item>(items: readonly Item[], line: (item: Item) => string): string[] {
  const more = items.length - MAX_LINES_OF_A_KIND;
  return [...items.slice(0, MAX_LINES_OF_A_KIND).map(line), ...(more > 0 ? [`and ${more} more`] : [])];
}
