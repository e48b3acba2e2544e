// What became of every record of an import.

import type { RepairKind } from "../../cassette/index.js";
import type { Failure } from "../errors.js";
import { count, toJsonError, type PrintLine } from "../output.js";

/** A run that is a cassette now. */
export interface WrittenRun {
  file: string;
  log: string;
  model: string;
  task: string;
  trial?: string;
  turns: number;
}

/** Every record of an import is in one of these lists. */
export interface Tally {
  written: WrittenRun[];
  /** Left as they were. */
  existed: { file: string; log: string }[];
  refused: Failure[];
  /** Of the written ones. */
  repairs: Map<RepairKind, number>;
}

/** A tally of nothing yet. */
export function createTally(): Tally {
  return { written: [], existed: [], refused: [], repairs: new Map() };
}

/** The tally as the fields of a JSON document. */
export function toJsonTally({ written, existed, refused, repairs }: Tally): object {
  return {
    written,
    existed,
    refused: refused.map(toJsonError),
    repairs: Object.fromEntries(sorted(repairs)),
    summary: { written: written.length, existed: existed.length, refused: refused.length },
  };
}

/** The tally for a person: what went wrong line by line, what went well as a number. */
export function printTally(line: PrintLine, tally: Tally, out: string): void {
  const { written, existed, refused, repairs } = tally;
  for (const { code, message, file, hint } of refused) {
    line({ look: "bad", text: "refused  " }, file ?? "", `  ${code}: ${message}`);
    if (hint !== undefined) line("         ", hint);
  }
  for (const { file } of existed)
    line({ look: "warn", text: "existed  " }, file, "  left as it was; --force replaces it");
  for (const [kind, total] of sorted(repairs)) line(`repaired ${total} ${kind}`);
  const isWhole = existed.length + refused.length === 0;
  line(
    { look: isWhole ? "good" : "bad", text: `${count(written.length, "cassette")} written to ` },
    out,
    `, ${existed.length} existed already, ${refused.length} refused`,
  );
}

function sorted(repairs: ReadonlyMap<RepairKind, number>): [RepairKind, number][] {
  return [...repairs].sort(([a], [b]) => (a < b ? -1 : 1));
}
