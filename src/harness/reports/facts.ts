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
import { distanceLine, outcomeLine } from "./figures.js";

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

/** The scenarios by verdict, then by name. */
export function worstFirst({ scenarios }: GateReport): ScenarioReport[] {
  return WORST_FIRST.flatMap((verdict) => scenarios.filter((each) => each.verdict === verdict));
}

/** A difference, and where it was found. */
export interface Divergence {
  scenario: ScenarioReport;
  edit: Edit;
}

/** Where a reader should look first: the first difference of the worst scenario that has one. */
export function headDivergence(report: GateReport): Divergence | undefined {
  for (const scenario of worstFirst(report)) {
    const edit = firstEdit(scenario);
    if (edit !== undefined) return { scenario, edit };
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
