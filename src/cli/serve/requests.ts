// The table of requests at a door, printed and as JSON, and the option --pass.

import { defined } from "../../core/index.js";
import {
  isFailure,
  PASS_HINT,
  readPass,
  rowText,
  type DoorRow,
  type DoorWords,
  type IsPassed,
} from "../../harness/index.js";
import { CliError } from "../errors.js";
import type { PrintLine } from "../terminal/output.js";

/** Throws `usage` for a text that is not a pattern. */
export function parsePass(patterns: readonly string[] = []): IsPassed {
  const isPassed = readPass(patterns);
  if (typeof isPassed !== "string") return isPassed;
  throw new CliError("usage", `--pass ${JSON.stringify(isPassed)} is not a pattern`, PASS_HINT);
}

/** Prints a line for every kind of request. A run of turns alone needs no table. */
export function printRequests(rows: readonly DoorRow[], words: DoorWords, print: PrintLine): void {
  if (rows.every(({ outcome }) => outcome === "turn")) return;
  for (const row of rows) {
    const text = rowText(row, words);
    print(isFailure(row) ? { look: "bad", text } : text);
  }
  if (rows.some(({ outcome, code }) => outcome === "passed-on" || code === "unknown-path")) print("   ", TO_PASS);
}

/** What to do about a request that is not recorded or not answered. */
export const TO_PASS = 'Name requests that a test does not need with --pass, such as --pass "GET /v1/models".';

export function toJsonRow({ method, path, outcome, count, reason }: DoorRow): object {
  return { method, path, outcome, count, ...defined({ reason }) };
}
