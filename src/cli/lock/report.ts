// The output of `cassette lock`: each added, changed and removed path, and whether the lock was written.

import type { LockEntry } from "../../cassette/index.js";
import type { Failure } from "../errors.js";
import type { ExitCode } from "../exit-codes.js";
import type { CommandIo } from "../terminal/io.js";
import { count, createPrinter, toJsonError, writeJson } from "../terminal/output.js";

export type LockChange =
  | { kind: "added"; path: string; entry: LockEntry }
  | { kind: "changed"; path: string; entry: LockEntry; what: string[] }
  | { kind: "removed"; path: string };

/** `not-asked`: something changed or is missing, without --update. `differs`: the same with --check. */
export type LockOutcome = "same" | "written" | "differs" | "not-asked" | "refused";

export interface RefusedFile {
  file: string;
  failure: Failure;
}

interface LockReport {
  file: string;
  json: boolean;
  outcome: LockOutcome;
  exitCode: ExitCode;
  refused: readonly RefusedFile[];
  changes: readonly LockChange[];
  cassettes: number;
}

export function reportLock(io: CommandIo, report: LockReport): void {
  const { file, outcome, exitCode, refused, changes, cassettes } = report;
  if (report.json) {
    const listed = refused.map(({ file: path, failure }) => ({ file: path, error: toJsonError(failure) }));
    writeJson(io, "lock", exitCode, { file, outcome, cassettes, changes, refused: listed });
    return;
  }
  const line = createPrinter(io);
  for (const { file: path, failure } of refused) {
    line({ look: "bad", text: "refused".padEnd(11) }, path, `  ${failure.code}: ${failure.message}`);
  }
  for (const change of changes) {
    const look = change.kind === "added" ? "good" : "warn";
    const what = change.kind === "changed" ? `  ${change.what.join("; ")}` : "";
    line({ look, text: change.kind.padEnd(11) }, change.path, what);
  }
  line({ look: exitCode === 0 ? "good" : "bad", text: conclude(report) });
}

function conclude({ file, outcome, cassettes, refused }: LockReport): string {
  const checked = count(cassettes, "cassette");
  switch (outcome) {
    case "same":
      return `${file} is up to date: ${checked}`;
    case "written":
      return `${file} written: ${checked}`;
    case "differs":
      return `${file} is not up to date; nothing was written`;
    case "not-asked":
      return `${file} was not changed: review the changes, then run this again with --update`;
    case "refused":
      return `${file} was not changed: ${count(refused.length, "cassette")} cannot be locked`;
  }
}
