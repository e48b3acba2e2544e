// Finds the runs of both sides, and loads and measures every scenario, on several threads where that is faster.

import { basename } from "node:path";
import { defined, type FilePort } from "../../core/index.js";
import {
  pairScenarios,
  scenarioOf,
  type MeasuredScenario,
  type PairedScenarios,
  type RuleFinding,
  type RunFile,
  type UnpairedScenario,
} from "../../harness/index.js";
import { doJobs } from "../../host/index.js";
import { CliError, type Failure } from "../errors.js";
import { lostFailure, threadScript } from "../threads.js";
import { createProgress } from "../terminal/progress.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import type { SideTargets, Unfit } from "./commands.js";
import { findTarget, pathIn, type Target } from "../options/recordings.js";
import { loaderWith, noneUnfit, type LoadJob, type LoadResult, type LoadSettings, type LoadTerms } from "./scenario.js";

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

interface LoadedRuns {
  scenarios: MeasuredScenario[];
  unpaired: UnpairedScenario[];
  failures: Failure[];
  /** By scenario, of those on both sides. */
  broken: Map<string, RuleFinding[]>;
  unfit: Unfit;
}

/** Loads and measures the shared scenarios, and checks the other runs of the candidate. Names every refused file. */
export async function loadRuns(
  { shared, unpaired }: PairedScenarios,
  settings: LoadSettings,
  terms: LoadTerms,
  { threads, io }: { threads: number | undefined; io: CommandIo },
): Promise<LoadedRuns> {
  const alone = unpaired.filter(({ side }) => side === "candidate");
  const jobs: LoadJob[] = [
    ...shared.map(({ scenario, base, candidate }) => ({ scenario, base, candidate })),
    ...alone.map(({ scenario, runs }) => ({ scenario, base: [], candidate: runs })),
  ];
  const progress = createProgress(io, "loading");
  const results = doJobs(jobs, {
    script: threadScript("drift"),
    settings,
    ...defined({ threads }),
    here: loaderWith(filesAt(io), settings, terms),
    lost: ({ scenario, candidate }, why): LoadResult => {
      const failures = [lostFailure(candidate[0]?.file ?? scenario, why)];
      return { failures, broken: [], unfit: noneUnfit() };
    },
  });
  const loaded: LoadedRuns = { scenarios: [], unpaired: [], failures: [], broken: new Map(), unfit: noneUnfit() };
  const brokenAlone = new Map<string, RuleFinding[]>();
  let done = 0;
  for await (const { scenario, failures, broken, unfit } of results) {
    progress.step(done, jobs.length);
    const job = jobs[done++] as LoadJob;
    if (scenario !== undefined) loaded.scenarios.push(scenario);
    loaded.failures.push(...failures);
    (job.base.length > 0 ? loaded.broken : brokenAlone).set(job.scenario, broken);
    for (const kind of Object.keys(unfit) as (keyof Unfit)[]) loaded.unfit[kind] += unfit[kind];
  }
  progress.clear();
  loaded.unpaired = unpaired.map(({ scenario, side, runs }) => {
    const rules = brokenAlone.get(scenario) ?? [];
    return { scenario, side, runs: runs.length, file: runs[0]?.file ?? "", rules: side === "candidate" ? rules : [] };
  });
  return loaded;
}
