// Finds the runs of both sides, and loads and measures every scenario, on several threads where that is faster.

import { basename } from "node:path";
import { defined, type FilePort } from "../../core/index.js";
import {
  doPooledJob,
  pairScenarios,
  pooledJobs,
  scenarioOf,
  type MeasuredScenario,
  type PairedScenarios,
  type PooledJob,
  type PooledResults,
  type RuleFinding,
  type RunFile,
  type UnpairedScenario,
} from "../../harness/index.js";
import { doJobs, keepThreads, type KeptThreads } from "../../host/index.js";
import { CliError, type Failure } from "../errors.js";
import { lostFailure, threadScript } from "../threads.js";
import { createProgress } from "../terminal/progress.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import type { SideTargets, Unfit } from "./commands.js";
import { findTarget, pathIn, type Target } from "../options/recordings.js";
import { loaderWith, noResult, type LoadJob, type LoadResult, type LoadSettings, type LoadTerms } from "./scenario.js";

export interface Sides {
  targets: SideTargets;
  paired: PairedScenarios;
  /** How many cassettes each side has. */
  names: { base: number; candidate: number };
}

/** The run of a failed test is a run of its scenario. */
const FAILED_TOO = { withFailed: true };

/** The runs of both sides. Two files are one scenario, whatever their names are. */
export async function findSides(files: FilePort, base: string, candidate: string): Promise<Sides> {
  const [old, now] = [await findTarget(files, base, FAILED_TOO), await findTarget(files, candidate, FAILED_TOO)];
  for (const { kind, path } of [old, now]) {
    if (kind === "missing") throw new CliError("nothing-found", `${path} does not exist`, "Check the path.", path);
  }
  const isPair = old.kind === "file" && now.kind === "file";
  const scenario = scenarioOf(basename(now.path));
  const [before, after] = [runsAt(old, isPair ? scenario : undefined), runsAt(now, isPair ? scenario : undefined)];
  const targets = { base: old, candidate: now };
  return { targets, paired: pairScenarios(before, after), names: { base: before.length, candidate: after.length } };
}

function runsAt(target: Target, name = basename(target.path)): RunFile[] {
  if (target.kind !== "folder") return [{ name, file: target.path }];
  return target.names.map((below) => ({ name: below, file: pathIn(target.path, below) }));
}

interface DriftThreads {
  threads: number | undefined;
  kept: KeptThreads;
}

/** Loads and measures all scenarios and does the tests over all of them, on the same threads. No tests if a run is refused. */
export async function loadAndTest(
  paired: PairedScenarios,
  settings: LoadSettings,
  terms: LoadTerms,
  { threads, io }: { threads: number | undefined; io: CommandIo },
): Promise<LoadedRuns & { tests: PooledResults }> {
  const kept = keepThreads();
  try {
    const loaded = await loadRuns(paired, settings, terms, { threads, kept }, io);
    const tests = loaded.failures.length > 0 ? new Map() : await testAll(loaded.scenarios, settings, { threads, kept });
    return { ...loaded, tests };
  } finally {
    await kept.close();
  }
}

/** The tests over all scenarios, with the same results on any number of threads. */
async function testAll(
  scenarios: readonly MeasuredScenario[],
  settings: LoadSettings,
  { threads, kept }: DriftThreads,
): Promise<PooledResults> {
  const jobs = pooledJobs(scenarios);
  const here = (job: PooledJob): Promise<PooledTest> => Promise.resolve(doPooledJob(job, settings));
  const results = doJobs<PooledJob, PooledTest>(jobs, {
    script: threadScript("drift"),
    settings,
    kept,
    ...defined({ threads }),
    here,
    lost: (job) => doPooledJob(job, settings),
  });
  const done = new Map<string, PooledTest>();
  for await (const result of results) done.set((jobs[done.size] as PooledJob).test, result);
  return done;
}

type PooledTest = ReturnType<typeof doPooledJob>;

interface LoadedRuns {
  scenarios: MeasuredScenario[];
  unpaired: UnpairedScenario[];
  failures: Failure[];
  /** By scenario, of those on both sides. */
  broken: Map<string, RuleFinding[]>;
  unfit: Unfit;
  /** Recordings of judges, which are left out. */
  judges: number;
}

/** Loads and measures the shared scenarios, and checks the other runs of the candidate. Names every refused file. */
async function loadRuns(
  { shared, unpaired }: PairedScenarios,
  settings: LoadSettings,
  terms: LoadTerms,
  { threads, kept }: DriftThreads,
  io: CommandIo,
): Promise<LoadedRuns> {
  const jobs: LoadJob[] = [
    ...shared,
    ...unpaired.map(({ scenario, side, runs }) => ({ scenario, base: [], candidate: [], [side]: runs })),
  ];
  const progress = createProgress(io, "loading");
  const results = doJobs(jobs, {
    script: threadScript("drift"),
    settings,
    kept,
    ...defined({ threads }),
    here: loaderWith(filesAt(io), settings, terms),
    lost: ({ candidate: [first] }, why): LoadResult => {
      return first === undefined ? noResult() : { ...noResult(), failures: [lostFailure(first.file, why)] };
    },
  });
  const loaded: LoadedRuns = { ...noResult(), scenarios: [], unpaired: [], broken: new Map() };
  const [brokenAlone, judges] = [new Map<string, RuleFinding[]>(), new Set<string>()];
  let done = 0;
  for await (const { scenario, failures, broken, unfit, judges: judged } of results) {
    progress.step(done, jobs.length);
    const job = jobs[done++] as LoadJob;
    if (scenario !== undefined) loaded.scenarios.push(scenario);
    loaded.failures.push(...failures);
    loaded.judges += judged;
    if (judged > 0) judges.add(job.scenario);
    (job.base.length > 0 ? loaded.broken : brokenAlone).set(job.scenario, broken);
    for (const kind of Object.keys(unfit) as (keyof Unfit)[]) loaded.unfit[kind] += unfit[kind];
  }
  progress.clear();
  const alone = unpaired.filter(({ scenario }) => !judges.has(scenario));
  loaded.unpaired = alone.map(({ scenario, side, runs }) => {
    const rules = brokenAlone.get(scenario) ?? [];
    return { scenario, side, runs: runs.length, file: runs[0]?.file ?? "", rules: side === "candidate" ? rules : [] };
  });
  return loaded;
}
