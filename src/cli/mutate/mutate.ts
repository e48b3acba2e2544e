// `cassette mutate`: runs the tests without a change, which must pass, and then once for each mutant. No test asserts what a
// surviving mutant changes.

import { rm } from "node:fs/promises";
import { plural } from "../../core/index.js";
import { MUTANT_KINDS, type Mutant, type MutantKind } from "../../harness/index.js";
import { makeFolder, holdSignals, toExitCode, type HeldSignals } from "../child/spawn.js";
import { CliError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import type { JobOptions } from "../job/store.js";
import { MUTANT_GRACE_MS } from "../limits.js";
import type { Shard } from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";
import { createNotes, writeJson } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { choose, createMutantList, judge } from "./choose.js";
import { printFindings, toDocument, type Findings } from "./findings.js";
import { assertNoReport, noReport, openReport, type Plan, type Report } from "./report-file.js";
import { findSuite, type Member, type Suite } from "./suite.js";
import { runBaseline, runTrial, type Baseline, type Trial } from "./trial.js";

export interface MutateOptions {
  kinds?: readonly MutantKind[];
  max: number;
  maxMinutes?: number;
  seed: string;
  only?: readonly string[];
  report?: string;
  resume?: boolean;
  rerunSurvivors?: boolean;
  concurrency: number;
  shard?: Shard;
  /** The job whose mutants this machine shares with others. */
  shared?: JobOptions;
  json?: boolean;
}

/** Exits 1 if a mutant survived, or with 128 + the signal's number if a signal ended the run. */
export async function mutate(
  paths: readonly string[],
  command: readonly string[],
  options: MutateOptions,
  io: CommandIo,
): Promise<void> {
  const { report: path, resume = false, json = false } = options;
  if (path !== undefined && !resume) await assertNoReport(path, io);
  const signals = holdSignals();
  let folder: string | undefined;
  let report = noReport;
  try {
    folder = await makeFolder("playhead-mutate-");
    const baseline = await runBaseline(command, folder, io);
    const early = signals.caught();
    if (early !== undefined) {
      io.exit(toExitCode(early));
      return;
    }
    assertPassed(baseline, command);
    const plan = await makePlan(paths, baseline, options, io);
    const timeoutMs = 3 * baseline.ms + MUTANT_GRACE_MS;
    const times = { baselineMs: baseline.ms, timeoutMs };
    if (path !== undefined) report = await openReport(path, toHeader(plan, command, options, times), io);
    const run = { report, signals, folder, command, timeoutMs };
    const shared = options.shared && (await runShared(options.shared, plan, run, baseline.ms, options, io));
    const trials = shared?.trials ?? (await runAll(plan, run, options, io));
    const ran = { command, seed: options.seed, ...times };
    const findings: Findings = { ...plan, ...ran, trials, reported: report.done };
    const caught = signals.caught();
    // With more shards than mutants, some have nothing to do.
    const isEmpty = options.shard !== undefined && plan.chosen.length === 0;
    const exitCode = caught !== undefined ? toExitCode(caught) : isEmpty ? EXIT.ok : (shared?.judged ?? judge(trials));
    io.exit(exitCode);
    if (json) writeJson(io, "mutate", exitCode, { ...toDocument(findings), stoppedBy: caught ?? null });
    else printFindings(findings, io);
    if (caught !== undefined) createNotes(io)(`cassette mutate: stopped by ${caught}`);
  } finally {
    report.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    signals.release();
  }
}

function assertPassed({ end, seen, ledger }: Baseline, command: readonly string[]): void {
  const name = command.join(" ");
  if (end.exitCode !== 0) {
    const message = `${name} exited with ${end.exitCode} without any change, so a failure proves nothing`;
    throw new CliError("baseline-failed", message, "First make the tests pass in replay: npx playhead replay -- …");
  }
  const recorded = ledger.find(({ mode }) => mode !== "replay");
  if (recorded !== undefined) {
    const what = `${name} recorded ${recorded.file} although CASSETTE_MODE is replay`;
    throw new CliError("suite-records", what, "Remove the mode from useCassette of that test.", recorded.file);
  }
  if (seen.size > 0) return;
  const what = `${name} succeeded but loaded no cassette, so there is nothing to change`;
  const hint = "Load cassettes with useCassette, the matchers, or loadCassette of playhead/cassette.";
  throw new CliError("no-cassette-used", what, hint);
}

interface MutationPlan {
  suite: Suite;
  /** The number of possible mutants. */
  found: number;
  /** Files with more places than the limit. */
  cut: string[];
  /** The mutants to run, in order. */
  chosen: Mutant[];
}

async function makePlan(
  paths: readonly string[],
  { seen }: Baseline,
  { seed, kinds = MUTANT_KINDS, only, max, shard: own }: MutateOptions,
  io: CommandIo,
): Promise<MutationPlan> {
  const { all, cut, visit } = createMutantList(seed, kinds);
  const suite = await findSuite(paths, seen, visit, io);
  const unknown = only?.find((id) => !all.some((mutant) => mutant.id === id));
  if (unknown !== undefined) {
    const hint = "Use the seed, files and folder of the run that printed it. A changed cassette has other mutants.";
    throw new CliError("mutant-unknown", `no mutant has the id ${unknown}`, hint);
  }
  if (all.length === 0) throw nothingToMutate(suite);
  const chosen = only === undefined ? choose(all, seed, max) : all.filter(({ id }) => only.includes(id));
  const { shard = 1, shards = 1 } = own ?? {};
  return { suite, found: all.length, cut, chosen: chosen.filter((_, index) => index % shards === shard - 1) };
}

function nothingToMutate({ unused, leftOut }: Suite): CliError {
  const [first] = leftOut;
  const why = first === undefined ? "" : `: ${first.file} was left out because ${first.why}`;
  const what = unused.length > 0 ? "no test loads any of the named cassettes" : "no cassette can be changed that way";
  return new CliError("nothing-to-mutate", what + why, "Name cassettes that the tests load, or other --kinds.");
}

function toHeader(
  { suite }: MutationPlan,
  command: readonly string[],
  { seed, kinds = MUTANT_KINDS, shard, max }: MutateOptions,
  times: { baselineMs: number; timeoutMs: number },
): Plan {
  const { unused, leftOut } = suite;
  const plan = { seed, kinds, command, cassettes: cassettesOf(suite) };
  return shard === undefined ? plan : { ...plan, part: { ...shard, max, ...times, unused, leftOut } };
}

interface Run {
  report: Report;
  signals: HeldSignals;
  folder: string;
  command: readonly string[];
  timeoutMs: number;
}

/** The trials by mutant id. Some are missing if the time was over or a signal came. */
async function runAll(
  { suite, chosen }: MutationPlan,
  { report, signals, ...run }: Run,
  { seed, maxMinutes = Infinity, concurrency, rerunSurvivors = false }: MutateOptions,
  io: CommandIo,
): Promise<Map<string, Trial>> {
  const members = new Map(suite.members.map((member) => [member.file, member]));
  const trials = new Map<string, Trial>();
  const waiting = chosen.filter(({ id }) => {
    const known = report.done.get(id);
    if (known !== undefined) trials.set(id, known);
    return known === undefined || (rerunSurvivors && known.outcome === "survived");
  });
  let ended = chosen.length - waiting.length;
  const endsAt = performance.now() + maxMinutes * 60_000;
  const progress = createProgress(io, "mutating");
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    while (failures.length === 0 && signals.caught() === undefined && performance.now() < endsAt) {
      const mutant = waiting.shift();
      const member = members.get(mutant?.file ?? "");
      if (mutant === undefined || member === undefined) return;
      progress.step(ended, chosen.length);
      const trial = await runTrial(mutant, member, { ...run, seed }, io);
      // The signal may have ended it.
      if (signals.caught() !== undefined) return;
      report.write(mutant, trial);
      trials.set(mutant.id, trial);
      ended++;
    }
  };
  const safely = (): Promise<void> => work().catch((error: unknown) => void failures.push(error));
  await Promise.all(Array.from({ length: concurrency }, safely));
  progress.clear();
  if (failures.length > 0) throw failures[0];
  return trials;
}

/** Runs the mutants that no other machine of the job runs. Resolves with the trials of all machines. */
async function runShared(
  { job, store: where }: JobOptions,
  { suite, chosen }: MutationPlan,
  { signals, ...run }: Run,
  baselineMs: number,
  { seed, kinds = MUTANT_KINDS, max, maxMinutes = Infinity, concurrency }: MutateOptions,
  io: CommandIo,
): Promise<{ trials: Map<string, Trial>; judged: number }> {
  const [{ withStore }, { judgeJob, runJob, toJobPlan }] = await Promise.all([
    import("../job/store.js"),
    import("./job.js"),
  ]);
  const { command, timeoutMs } = run;
  const ids = chosen.map(({ id }) => id);
  const plan = toJobPlan(job, { command, seed, kinds, max, ids, suite, cassettes: cassettesOf(suite) });
  const members = new Map(suite.members.map((member) => [member.file, member]));
  const endsAt = performance.now() + maxMinutes * 60_000;
  const progress = createProgress(io, "mutating");
  let ended = 0;
  const runOne = async (index: number): Promise<Trial | undefined> => {
    const mutant = chosen[index] as Mutant;
    progress.step(ended, chosen.length);
    const trial = await runTrial(mutant, members.get(mutant.file) as Member, { ...run, seed }, io);
    if (signals.caught() !== undefined) return undefined;
    ended++;
    return trial;
  };
  const isOver = (): boolean => signals.caught() !== undefined || performance.now() >= endsAt;
  return withStore(where, io, async (store) => {
    const work = { ids, concurrency, isOver, times: { baselineMs, timeoutMs }, runOne };
    const settled = await runJob(store, plan, work).finally(() => progress.clear());
    createNotes(io)(`cassette mutate: ${plural(ended, "mutant")} of job ${job} run by this machine`);
    return { trials: settled.trials, judged: judgeJob(settled, io) };
  });
}

function cassettesOf({ members }: Suite): Plan["cassettes"] {
  return Object.fromEntries(members.map(({ file, envelopeHash }) => [file, envelopeHash]));
}
