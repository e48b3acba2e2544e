// `cassette diff`: two files or two folders. Both sides are checked before anything is compared. Comparing nothing is a failure.

import { basename } from "node:path";
import { defined } from "../../core/index.js";
import { CliError, exitCodeForAll, type Failure } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, toJsonError, writeFailure, writeJson } from "../terminal/output.js";
import { findTarget } from "../options/recordings.js";
import { openTolerances } from "../options/tolerances.js";
import type { ComparisonFlags } from "../options/comparison.js";
import { compareAll, pairUp, taskOf } from "./compare.js";
import { isDrifted, printDiff } from "./report.js";

export interface DiffCommandOptions extends ComparisonFlags {
  sharedOnly?: boolean;
  jobs?: number;
  maxBytes?: number;
}

/** Exits 1 on drift. Throws when there is nothing to compare. */
export async function diff(old: string, now: string, options: DiffCommandOptions, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  const tolerated = await openTolerances(files, options.tolerances);
  const targets = [await findTarget(files, old), await findTarget(files, now)] as const;
  const jobs = pairUp(...targets);
  const { ignore, order, readOnly, maxBytes, jobs: threads, content: contentCompared = false } = options;
  const compared = { ignore, order, readOnly, ignoreContent: !contentCompared, tolerances: options.tolerances };
  const found = await compareAll(jobs, { cwd: io.cwd, ...compared, maxBytes }, tolerated, { threads, io });
  if (found.failures.length > 0) {
    refuseComparison("diff", found.failures, options, io);
    return;
  }
  if (!jobs.some((job) => job.old !== undefined && job.new !== undefined)) throw nothingShared(old, now);

  const { tasks, onlyOld, onlyNew, totals, tolerances, version1 } = found;
  const drifted = tasks.filter(isDrifted).length;
  const isSame = drifted === 0 && (options.sharedOnly === true || onlyOld.length + onlyNew.length === 0);
  const exitCode = isSame ? EXIT.ok : EXIT.drift;
  const summary = { shared: tasks.length, same: tasks.length - drifted, drifted, totals, onlyOld, onlyNew };
  io.exit(exitCode);
  if (options.json === true) {
    const used = { tolerancesFile: tolerated?.file ?? null, tolerances };
    const asked = { old, new: now, contentCompared, order, readOnly };
    writeJson(io, "diff", exitCode, { ...asked, tasks, summary, version1, ...used });
    return;
  }
  const isPair = targets.every(({ kind }) => kind === "file");
  const optional = defined({ heading: isPair ? headingOf(old, now) : undefined, tolerancesFile: tolerated?.file });
  const asked = { contentCompared, order, readOnly, tolerances };
  printDiff(createPrinter(io), tasks, { ...summary, version1, isSame, ...asked, ...optional });
}

/** Two files by their names, or by their paths if the names are the same. */
function headingOf(old: string, now: string): string {
  const [before, after] = [taskOf(basename(old)), taskOf(basename(now))];
  return before === after ? `${old} → ${now}` : `${before} → ${after}`;
}

/** Prints every file that cannot be compared, and exits 3 if one was refused, else 2. */
export function refuseComparison(
  command: "diff" | "drift",
  failures: readonly Failure[],
  { json }: { json?: boolean },
  io: CommandIo,
): void {
  const exitCode = exitCodeForAll(failures);
  io.exit(exitCode);
  if (json === true) {
    const worst = failures.find((failure) => failure.exitCode === exitCode) as Failure;
    writeJson(io, command, exitCode, { error: toJsonError(worst), refused: failures.map(toJsonError) });
    return;
  }
  for (const failure of failures) writeFailure(io, failure);
  if (failures.length < 2) return;
  io.stderr(`${count(failures.length, "cassette")} cannot be compared, so nothing was compared.\n`);
}

function nothingShared(old: string, now: string): CliError {
  return new CliError(
    "nothing-to-compare",
    `nothing to compare: no cassette has the same path below ${old} and below ${now}`,
    "Give the folders directly above the shared paths, such as one folder of each model.",
  );
}
