// `cassette diff`: two files or two folders. Both sides are checked before anything is compared, and comparing nothing is
// never a success.

import { basename } from "node:path";
import type { CallOrder } from "../../cassette/index.js";
import { CliError, type Failure } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, toJsonError, writeFailure, writeJson } from "../terminal/output.js";
import { findTarget } from "../options/recordings.js";
import { openTolerances, type TolerancesFlag } from "../options/tolerances.js";
import { compareAll, pairUp, taskOf } from "./compare.js";
import { printDiff } from "./report.js";

/** The flags of `cassette diff`, as commander gives them. */
export interface DiffCommandOptions {
  ignore: string[];
  order: CallOrder;
  readOnly: string[];
  content?: boolean;
  sharedOnly?: boolean;
  tolerances?: TolerancesFlag;
  /** How many threads; without it the cores there are, where it is worth it. */
  jobs?: number;
  maxBytes?: number;
  json?: boolean;
}

/** Compares two sides, exits 1 on drift. Throws when there is nothing to compare. */
export async function diff(old: string, now: string, options: DiffCommandOptions, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  const tolerated = await openTolerances(files, options.tolerances);
  const targets = [await findTarget(files, old), await findTarget(files, now)] as const;
  const jobs = pairUp(...targets);
  const { ignore, order, readOnly, maxBytes, jobs: threads } = options;
  const contentCompared = options.content === true;
  const { tolerances: flag } = options;
  const settings = {
    cwd: io.cwd,
    ignore,
    order,
    readOnly,
    ignoreContent: !contentCompared,
    tolerances: flag,
    maxBytes,
  };
  const found = await compareAll(jobs, settings, tolerated, { threads, io });
  if (found.failures.length > 0) {
    refuse(found.failures, options, io);
    return;
  }
  if (!jobs.some((job) => job.old !== undefined && job.new !== undefined)) throw nothingShared(old, now);

  const { tasks, onlyOld, onlyNew, totals, tolerances, version1 } = found;
  const drifted = tasks.filter(({ drifts }) => drifts.length > 0).length;
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
  const heading = isPair ? { heading: headingOf(old, now) } : {};
  const asked = { contentCompared, order, readOnly };
  const used = tolerated === undefined ? { tolerances } : { tolerances, tolerancesFile: tolerated.file };
  await printDiff(createPrinter(io), tasks, { ...summary, ...heading, version1, isSame, ...asked, ...used });
}

/** Two files by their names, or by their paths where the names are the same. */
function headingOf(old: string, now: string): string {
  const [before, after] = [taskOf(basename(old)), taskOf(basename(now))];
  return before === after ? `${old} → ${now}` : `${before} → ${after}`;
}

/** Says every file that cannot be compared; an integrity failure among them decides the exit code. */
function refuse(failures: readonly Failure[], { json }: DiffCommandOptions, io: CommandIo): void {
  const exitCode: ExitCode = failures.some((failure) => failure.exitCode === EXIT.integrity)
    ? EXIT.integrity
    : EXIT.failed;
  io.exit(exitCode);
  if (json === true) {
    const worst = failures.find((failure) => failure.exitCode === exitCode) as Failure;
    writeJson(io, "diff", exitCode, { error: toJsonError(worst), refused: failures.map(toJsonError) });
    return;
  }
  for (const failure of failures) writeFailure(io, failure);
  if (failures.length > 1) io.stderr(`${count(failures.length, "cassette")} cannot be compared, so nothing was.\n`);
}

function nothingShared(old: string, now: string): CliError {
  return new CliError(
    "nothing-to-compare",
    `nothing to compare: no cassette has the same path below ${old} and below ${now}`,
    "Give the folders right above what they share, such as one folder of each model.",
  );
}
