// `cassette diff`: two files or two folders. Both sides are checked before anything is compared, and comparing nothing is
// never a success.

import { basename } from "node:path";
import {
  CASSETTE_SUFFIX,
  createCassetteStore,
  diffSets,
  type CallOrder,
  type DiffOptions,
  type NamedCassette,
} from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { CliError, type Failure } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../io.js";
import { count, createPrinter, toJsonError, writeFailure, writeJson } from "../output.js";
import { createProgress } from "../progress.js";
import { findTarget, loadRecording, pathIn, type Target } from "../recordings.js";
import { contractsOf, withContract } from "./contract.js";
import { openTolerances, type OpenTolerances, type TolerancesFlag } from "../tolerances.js";
import { outcomesOf, printDiff, type TaskDiff } from "./report.js";

/** The flags of `cassette diff`, as commander gives them. */
export interface DiffCommandOptions {
  ignore: string[];
  order: CallOrder;
  readOnly: string[];
  content?: boolean;
  sharedOnly?: boolean;
  tolerances?: TolerancesFlag;
  json?: boolean;
}

interface Recording {
  task: string;
  file: string;
}

/** Compares two sides, exits 1 on drift. Throws when there is nothing to compare. */
export async function diff(old: string, now: string, options: DiffCommandOptions, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  const tolerated = await openTolerances(files, options.tolerances);
  const targets = [await findTarget(files, old), await findTarget(files, now)] as const;
  const [oldSide, newSide] = pairUp(...targets);
  const loaded = await loadAll(files, [oldSide, newSide], io);
  if (loaded.failures.length > 0) {
    refuse(loaded.failures, options, io);
    return;
  }
  const [before, after] = loaded.sides;
  const compared = diffSets(before, after, toDiffOptions(options, tolerated));
  if (compared.shared.length === 0) throw nothingShared(old, now);

  const outcomes = outcomesOf(before, after);
  const contracts = contractsOf(before, after);
  const tasks = compared.shared.map(({ task, drifts }): TaskDiff => ({
    task,
    ...withContract(drifts, contracts.get(task)),
    ...outcomes.get(task),
  }));
  const drifted = tasks.filter(({ drifts }) => drifts.length > 0).length;
  const { onlyOld, onlyNew, totals, tolerances } = compared;
  const isSame = drifted === 0 && (options.sharedOnly === true || onlyOld.length + onlyNew.length === 0);
  const exitCode = isSame ? EXIT.ok : EXIT.drift;
  const summary = { shared: tasks.length, same: tasks.length - drifted, drifted, totals, onlyOld, onlyNew };
  const version1 = [...before, ...after].filter(({ cassette }) => cassette.version === 1).length;
  io.exit(exitCode);
  const contentCompared = options.content === true;
  const { order, readOnly } = options;
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
  printDiff(createPrinter(io), tasks, { ...summary, ...heading, version1, isSame, ...asked, ...used });
}

function toDiffOptions(options: DiffCommandOptions, tolerated: OpenTolerances | undefined): DiffOptions {
  const { ignore, order, readOnly, content } = options;
  const tolerances = tolerated === undefined ? {} : { tolerances: tolerated.tolerances };
  return { ignore, order, readOnly, ignoreContent: content !== true, ...tolerances };
}

/** Two files are one task, whatever they are called; two folders are paired by the path below each. */
function pairUp(old: Target, now: Target): [Recording[], Recording[]] {
  const kinds = [old, now].map(({ kind }) => kind);
  if (kinds.includes("file") && kinds.includes("folder")) {
    throw new CliError(
      "nothing-to-compare",
      `nothing to compare: ${old.path} is a ${old.kind} and ${now.path} is a ${now.kind}`,
      "Give two files or two folders.",
    );
  }
  const task = taskOf(basename(now.path));
  return [recordingsOf(old, task), recordingsOf(now, task)];
}

function recordingsOf(target: Target, task: string): Recording[] {
  if (target.kind !== "folder") return [{ task, file: target.path }];
  return target.names.map((name) => ({ task: taskOf(name), file: pathIn(target.path, name) }));
}

/** Two files by their names, or by their paths where the names are the same. */
function headingOf(old: string, now: string): string {
  const [before, after] = [taskOf(basename(old)), taskOf(basename(now))];
  return before === after ? `${old} → ${now}` : `${before} → ${after}`;
}

function taskOf(name: string): string {
  return name.endsWith(CASSETTE_SUFFIX) ? name.slice(0, -CASSETTE_SUFFIX.length) : name;
}

async function loadAll(
  files: FilePort,
  sides: readonly [Recording[], Recording[]],
  io: CommandIo,
): Promise<{ sides: [NamedCassette[], NamedCassette[]]; failures: Failure[] }> {
  const store = createCassetteStore(files);
  const progress = createProgress(io, "loading");
  const total = sides[0].length + sides[1].length;
  const failures: Failure[] = [];
  let done = 0;

  async function load(side: readonly Recording[]): Promise<NamedCassette[]> {
    const cassettes: NamedCassette[] = [];
    for (const { task, file } of side) {
      progress.step(done++, total);
      const loaded = await loadRecording(store, file);
      if (loaded.kind === "loaded") cassettes.push({ task, cassette: loaded.cassette });
      else failures.push(loaded.failure);
    }
    return cassettes;
  }

  const before = await load(sides[0]);
  const after = await load(sides[1]);
  progress.clear();
  return { sides: [before, after], failures };
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
