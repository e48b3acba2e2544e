// What every report picks out of the gate's findings, in one place, so that all of them say the same: which scenario is the
// worst, which divergence a reader should see first, and what is said of one scenario in plain lines.

import type { Edit, GateReport, GateSettings, Location, ScenarioReport, Verdict } from "../drift/report.js";
import { counted } from "../html/figures.js";
import { distanceLine, outcomeLine } from "./figures.js";

/** From worst to best: the order in which a reader wants them. */
export const WORST_FIRST: readonly Verdict[] = ["regression", "drift", "inconclusive", "same"];

/** True where these settings fail the build for this verdict. */
export function isFailing(verdict: Verdict, { failOn, onInconclusive }: GateSettings): boolean {
  return failOn.includes(verdict) || (verdict === "inconclusive" && onInconclusive === "fail");
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
  const { reason, edits, rules, contract, tolerances, outcome, distance } = scenario;
  const first = firstEdit(scenario);
  return [
    reason,
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
