// The differences of two sets of runs as lines for a reviewer, with the outcomes that importers keep.

import {
  extensionsOf,
  nullHint,
  unpairedHint,
  type CallOrder,
  type Cassette,
  type ExchangeChange,
  type SetDiff,
  type ValueChange,
} from "../../cassette/index.js";
import { canonicalize, isPlainObject, type JsonValue } from "../../core/index.js";
import { count, type PrintLine } from "../terminal/output.js";
import { printContracts, printReason, printUncompared, type ContractOutcome } from "./contract.js";
import { printTolerances } from "../options/tolerances.js";

/** How a benchmark judged the two runs, if both recordings say so. */
interface Outcomes {
  outcomes?: { old: JsonValue; new: JsonValue };
}

/** One pair of recordings, compared. */
export interface TaskDiff extends Outcomes, ContractOutcome {
  task: string;
  /** Both are recordings of a judge. */
  judge?: true;
  /** Present if the HTTP exchanges differ. */
  exchanges?: ExchangeChange[];
}

/** True if the two runs behaved differently. */
export function isDrifted({ drifts, exchanges = [] }: TaskDiff): boolean {
  return drifts.length + exchanges.length > 0;
}

interface DiffSummary extends Pick<SetDiff, "onlyOld" | "onlyNew" | "totals" | "tolerances"> {
  shared: number;
  same: number;
  drifted: number;
  version1: number;
  isSame: boolean;
  contentCompared: boolean;
  order: CallOrder;
  readOnly: readonly string[];
  /** Absent without tolerances. */
  tolerancesFile?: string;
  /** Replaces the name of the task if two files were compared. */
  heading?: string;
}

const SHOWN_CHARACTERS = 200;
/** Changes of one exchange. `--json` has all of them. */
const SHOWN_CHANGES = 5;

/** `extensions.import.outcome` of both sides. It is listed and never decides what is drift. */
export function outcomesOf(before: Cassette, after: Cassette): Outcomes {
  const [old, now] = [outcomeOf(before), outcomeOf(after)];
  return old === undefined || now === undefined ? {} : { outcomes: { old, new: now } };
}

function outcomeOf(cassette: Cassette): JsonValue | undefined {
  const imported = extensionsOf(cassette)["import"];
  return isPlainObject(imported) ? (imported["outcome"] as JsonValue | undefined) : undefined;
}

/** Tasks without drift are only counted, unless their outcomes differ. */
export function printDiff(line: PrintLine, tasks: readonly TaskDiff[], summary: DiffSummary): void {
  for (const task of tasks) {
    if (isDrifted(task) || hasOtherOutcome(task)) printTask(line, task, summary.heading ?? task.task);
  }
  printContracts(line, tasks);
  for (const task of summary.onlyOld) line("only in the old set: ", task);
  for (const task of summary.onlyNew) line("only in the new set: ", task);
  const unpaired = unpairedHint(summary.onlyOld, summary.onlyNew);
  if (unpaired !== "") line(unpaired);
  const { shared, same, drifted, isSame, totals, version1, contentCompared, order, readOnly } = summary;
  line(
    isSame ? { look: "good", text: "same" } : { look: "bad", text: "drift" },
    `: ${count(shared, "task")} compared, ${same} same, ${drifted} drifted`,
  );
  const kinds = Object.entries(totals).filter(([, total]) => total > 0);
  if (kinds.length > 0) line(`  ${kinds.map(([kind, total]) => `${total} ${kind}`).join(", ")}`);
  if (version1 > 0) line(`  ${count(version1, "cassette")} of version 1, which nothing proves`);
  if (order !== "strict") line({ look: "dim", text: `  order of calls: ${order}` });
  if (readOnly.length > 0) line({ look: "dim", text: `  read-only tools: ${readOnly.join(", ")}` });
  if (!contentCompared) line({ look: "dim", text: "  texts were not compared; --content compares them" });
  printUncompared(line, tasks);
  const hint = nullHint(tasks.flatMap(({ drifts }) => drifts));
  if (hint !== "") line(`  hint: ${hint}`);
  printTolerances(line, summary.tolerancesFile, summary.tolerances);
}

function printTask(line: PrintLine, task: TaskDiff, heading: string): void {
  const drifts = task.drifts.length === 0 ? "same calls" : count(task.drifts.length, "drift");
  line({ look: "bold", text: heading }, task.judge === true ? ` (a judge's recording): ${drifts}` : `: ${drifts}`);
  for (const drift of task.drifts) {
    line("  - ", drift.sentence);
    if (drift.kind === "args-changed") printChanges(line, drift.changes);
    printReason(line, drift);
  }
  for (const { kind, sentence, changes = [] } of task.exchanges ?? []) {
    line("  - exchange: ", sentence);
    if (kind === "changed") printChanges(line, changes.slice(0, SHOWN_CHANGES));
  }
  if (task.outcomes !== undefined && hasOtherOutcome(task)) {
    line({ look: "dim", text: `    outcome  ${showJson(task.outcomes.old)} → ${showJson(task.outcomes.new)}` });
  }
  line("");
}

function printChanges(line: PrintLine, changes: readonly ValueChange[]): void {
  for (const { pointer, old, new: now } of changes) {
    line(`      ${pointer === "" ? "(the whole)" : pointer}  ${showJson(old)} → ${showJson(now)}`);
  }
}

function hasOtherOutcome({ outcomes }: TaskDiff): boolean {
  return outcomes !== undefined && canonicalize(outcomes.old) !== canonicalize(outcomes.new);
}

function showJson(value: JsonValue | undefined): string {
  if (value === undefined) return "(nothing)";
  const text = canonicalize(value);
  const more = text.length - SHOWN_CHARACTERS;
  return more <= 0 ? text : `${text.slice(0, SHOWN_CHARACTERS)}… (${more} more; --json has all)`;
}
