// All tasks of `cassette diff`: pairs the files, and sums the results of the comparisons.

import { defined } from "../../core/index.js";
import { basename } from "node:path";
import { CASSETTE_SUFFIX, CassetteError, createUseCounter, diffSets, type SetDiff } from "../../cassette/index.js";
import { doJobs } from "../../host/index.js";
import { CliError, type Failure } from "../errors.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { lostFailure, threadScript } from "../threads.js";
import { createProgress } from "../terminal/progress.js";
import { pathIn, type Target } from "../options/recordings.js";
import type { OpenTolerances } from "../options/tolerances.js";
import { comparerWith, type PairJob, type PairResult, type PairSettings } from "./pair.js";
import type { TaskDiff } from "./report.js";

/** Sorted by task. */
interface Compared extends Pick<SetDiff, "onlyOld" | "onlyNew" | "totals" | "tolerances"> {
  tasks: TaskDiff[];
  version1: number;
  /** The old side first. If there is one, nothing else counts. */
  failures: Failure[];
}

/** Two files are one task, whatever they are called; two folders are paired by the path below each. */
export function pairUp(old: Target, now: Target): PairJob[] {
  const kinds = [old, now].map(({ kind }) => kind);
  if (kinds.includes("file") && kinds.includes("folder")) {
    const message = `nothing to compare: ${old.path} is a ${old.kind} and ${now.path} is a ${now.kind}`;
    throw new CliError("nothing-to-compare", message, "Give two files or two folders.");
  }
  const only = taskOf(basename(now.path));
  const jobs = new Map<string, PairJob>();
  // An unreadable folder may have the name of a cassette next to it. Both are checked.
  for (const { task, file } of recordingsOf(old, only)) jobs.set(jobs.has(task) ? file : task, { task, old: file });
  for (const { task, file } of recordingsOf(now, only)) {
    const { old: before, new: taken } = jobs.get(task) ?? {};
    if (taken !== undefined) jobs.set(file, { task, new: file });
    else jobs.set(task, { task, ...defined({ old: before }), new: file });
  }
  return [...jobs.values()].sort((a, b) => (a.task < b.task ? -1 : 1));
}

function recordingsOf(target: Target, task: string): { task: string; file: string }[] {
  if (target.kind !== "folder") return [{ task, file: target.path }];
  return target.names.map((name) => ({ task: taskOf(name), file: pathIn(target.path, name) }));
}

export function taskOf(name: string): string {
  return name.endsWith(CASSETTE_SUFFIX) ? name.slice(0, -CASSETTE_SUFFIX.length) : name;
}

/** Compares every pair, with two files in memory on each thread. Throws `CassetteError` if a comparison is too large. */
export async function compareAll(
  jobs: readonly PairJob[],
  settings: PairSettings,
  tolerated: OpenTolerances | undefined,
  { threads, io }: { threads: number | undefined; io: CommandIo },
): Promise<Compared> {
  const progress = createProgress(io, "comparing");
  const results = doJobs(jobs, {
    script: threadScript("diff"),
    settings,
    ...defined({ threads }),
    here: comparerWith(filesAt(io), settings, tolerated),
    lost: (job, why): PairResult => ({ version1: 0, failures: { old: lostFailure(job.old ?? job.new ?? "", why) } }),
  });
  const sum = createSum();
  let done = 0;
  for await (const result of results) {
    progress.step(done, jobs.length);
    sum.add(jobs[done++] as PairJob, result);
  }
  progress.clear();
  return sum.total();
}

function createSum() {
  const sides = { onlyOld: [], onlyNew: [], failures: [] };
  // An empty comparison lists every kind of drift with 0.
  const total: Compared = { ...diffSets([], []), ...sides, tasks: [], version1: 0 };
  const uses = createUseCounter();
  const ofNew: Failure[] = [];
  let refused: PairResult["refused"];

  function add(job: PairJob, result: PairResult): void {
    if (result.failures.old !== undefined) total.failures.push(result.failures.old);
    if (result.failures.new !== undefined) ofNew.push(result.failures.new);
    total.version1 += result.version1;
    refused ??= result.refused;
    if (job.new === undefined) total.onlyOld.push(job.task);
    else if (job.old === undefined) total.onlyNew.push(job.task);
    if (result.compared === undefined) return;
    total.tasks.push(result.compared.diff);
    uses.add(result.compared.tolerances);
    for (const { kind } of result.compared.diff.drifts) total.totals[kind]++;
  }

  return {
    add,
    total(): Compared {
      const failures = [...total.failures, ...ofNew];
      if (refused !== undefined && failures.length === 0) {
        throw new CassetteError(refused.code, refused.message, refused.details);
      }
      const { tasks, onlyOld, onlyNew, totals, version1 } = total;
      return { tasks, onlyOld, onlyNew, totals, tolerances: uses.list(), version1, failures };
    },
  };
}
