// The result of a step check, as lines and as one JSON document.

import { defined } from "../../core/index.js";
import {
  describeTurn,
  firstDisagreement,
  type Disagreement,
  type StepCheck,
  type StepSummary,
  type StepTurn,
} from "../../harness/index.js";
import type { Failure } from "../errors.js";
import { count, toJsonError, type PrintLine } from "../terminal/output.js";
import { costOf, tokensOf } from "../stats/report.js";
import { printTolerances } from "../options/tolerances.js";

export interface CheckedFile {
  kind: "checked";
  file: string;
  check: StepCheck;
}

export interface StepFindings {
  checks: CheckedFile[];
  /** Recordings that were left out or refused. */
  failures: Failure[];
  summary: StepSummary;
  /** The required rate. */
  minAgreement: number;
  tolerancesFile: string | undefined;
}

/** Limit of printed rows of the confusion table, failed turns and left out recordings. */
const SHOWN_ROWS = 20;

/** The fields of the JSON document. */
export function toDocument(findings: StepFindings): object {
  const { checks, failures, summary, minAgreement, tolerancesFile = null } = findings;
  return {
    verdict: verdictOf(findings),
    minAgreement,
    tolerancesFile,
    summary,
    cassettes: checks.map(({ file, check }) => ({
      file,
      cassetteId: check.cassetteId,
      recordedProvider: check.recordedProvider,
      provider: check.provider,
      notes: check.notes,
      first: firstDisagreement(check) ?? null,
      turns: check.turns.map(toRow),
    })),
    leftOut: failures.map(toJsonError),
  };
}

function toRow(turn: StepTurn): object {
  if (turn.state !== "compared") return turn;
  const { state, verdict, recorded, chosen, pairs, tolerances } = turn;
  const texts = { recorded: describeTurn(recorded), chosen: describeTurn(chosen) };
  return { turn: turn.turn, state, verdict, ...texts, pairs, ...defined({ tolerances }) };
}

function verdictOf({ summary, minAgreement }: StepFindings) {
  if (summary.agreement === undefined) return "nothing";
  if (summary.agreement.rate < minAgreement) return "differs";
  return summary.failed > 0 ? "incomplete" : "agrees";
}

/** Prints each recording with its first disagreement, the table of tools, and the rate. */
export function printSteps(line: PrintLine, findings: StepFindings): void {
  const { checks, failures, summary } = findings;
  for (const checked of checks) printCheck(line, checked);
  for (const { file, code, message } of failures.slice(0, SHOWN_ROWS)) {
    line({ look: "warn", text: "left out  " }, file ?? "", `  ${code}: ${message}`);
  }
  sayMore(line, failures.length - SHOWN_ROWS, "left out");
  printConfusion(line, summary);
  printVerdict(line, findings);
  printTolerances(line, findings.tolerancesFile, summary.tolerances);
}

function printCheck(line: PrintLine, { file, check }: CheckedFile): void {
  const compared = check.turns.filter((turn) => turn.state === "compared");
  const same = compared.filter(({ verdict }) => verdict === "same").length;
  line({ look: "bold", text: file }, `: ${same} of ${count(compared.length, "turn")} agree`);
  const first = firstDisagreement(check);
  if (first !== undefined) printFirst(line, first);
  const failed = check.turns.filter((turn) => turn.state === "failed");
  for (const { turn, reason } of failed.slice(0, SHOWN_ROWS)) line(`  turn ${turn} failed: ${reason}`);
  sayMore(line, failed.length - SHOWN_ROWS, "failed");
  const waiting = check.turns.filter((turn) => turn.state === "not-asked");
  const [why] = waiting;
  if (why !== undefined) line(`  ${count(waiting.length, "turn")} not asked (${why.reason}), from turn ${why.turn} on`);
  for (const note of check.notes) line({ look: "dim", text: `  note: ${note}` });
}

const WORDS: Readonly<Record<Disagreement["verdict"], string>> = {
  "other-arguments": "the same tools with other arguments",
  "other-tools": "other tools",
  answered: "an answer instead of calls",
  called: "calls instead of an answer",
};

function printFirst(line: PrintLine, { turn, verdict, recorded, chosen, at }: Disagreement): void {
  line(`  turn ${turn}: `, { look: "bad", text: WORDS[verdict] });
  line("    recorded  ", recorded);
  line("    chosen    ", chosen);
  if (at !== undefined) {
    line(`    at        ${at.tool} ${at.pointer === "" ? "(the whole)" : at.pointer}: ${at.recorded} → ${at.chosen}`);
  }
}

function printConfusion(line: PrintLine, { confusion }: StepSummary): void {
  const confused = confusion.filter(({ recorded, chosen }) => recorded !== chosen).sort((a, b) => b.count - a.count);
  if (confused.length === 0) return;
  const right = confusion.reduce((sum, cell) => (cell.recorded === cell.chosen ? sum + cell.count : sum), 0);
  line("tools, recorded → chosen");
  row(line, right, "the same tool, or an answer on both sides");
  for (const cell of confused.slice(0, SHOWN_ROWS)) row(line, cell.count, `${cell.recorded} → ${cell.chosen}`);
  sayMore(line, confused.length - SHOWN_ROWS, "pairs");
}

function row(line: PrintLine, number: number, text: string): void {
  line(`  ${String(number).padStart(5)}  ${text}`);
}

function printVerdict(line: PrintLine, findings: StepFindings): void {
  const { checks, summary, minAgreement } = findings;
  const { agreement, compared, verdicts, failed, notAsked, usage } = summary;
  const verdict = verdictOf(findings);
  if (agreement === undefined) {
    line({ look: "bad", text: "nothing" }, " was compared");
    return;
  }
  const asked = [...new Set(checks.map(({ check }) => check.provider))].join(", ");
  line(
    { look: verdict === "agrees" ? "good" : "bad", text: verdict },
    `: ${asked} agrees in ${percent(agreement.rate)} of ${count(compared, "turn")}`,
    ` (${percent(agreement.level)} interval ${percent(agreement.low)} to ${percent(agreement.high)}; required ${percent(minAgreement)})`,
  );
  const kinds = Object.entries({ ...verdicts, failed, "not asked": notAsked }).filter(([, times]) => times > 0);
  line(`  ${kinds.map(([kind, times]) => `${times} ${kind}`).join(", ")}`);
  line(`  tokens ${tokensOf(usage)}; cost ${costOf(usage)}`);
}

function percent(rate: number): string {
  return `${Number((100 * rate).toFixed(1))} %`;
}

function sayMore(line: PrintLine, more: number, what: string): void {
  if (more > 0) line(`  and ${more} more ${what}; --json has all`);
}
