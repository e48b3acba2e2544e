// `cassette record --runs --job`: several machines take the runs from a store, which keeps their recordings, and each machine writes the
// recordings of all.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { plural } from "../../core/index.js";
import type { FleetStore } from "../../host/index.js";
import { holdSignals, makeFolder, toExitCode } from "../child/spawn.js";
import { CliError } from "../errors.js";
import { withStore, type JobOptions } from "../job/store.js";
import { workOn } from "../job/work.js";
import type { CommandIo } from "../terminal/io.js";
import { createNotes, writeJson } from "../terminal/output.js";
import { costText, createCostCounter, estimateRun } from "./cost.js";
import { mergeUnits, nameOf, partOf, toJobPlan } from "./merge-job.js";
import { pack } from "./packed.js";
import type { Part, Plan, Unit } from "./part.js";
import { estimateText, type RunsRequest } from "./record-runs.js";
import { recordUnit } from "./unit.js";

export type JobRequest = Pick<RunsRequest, "command" | "runs" | "into" | "prices" | "json"> & JobOptions;

/**
 * Exits 0 if every run of all machines succeeded, 1 if one failed, and 128 + n after signal n. Throws `report-unusable` for a job with another
 * plan and for a run without a result, and `path-taken` for other contents in the folder.
 */
export async function recordJob(request: JobRequest, io: CommandIo): Promise<void> {
  const { runs, into, job } = request;
  const plan: Plan = { command: request.command, runs, shards: 1 };
  const signals = holdSignals();
  try {
    await withStore(request.store, io, async (store) => {
      const own = await recordOwn(store, plan, request, signals.caught, io);
      const note = createNotes(io);
      note(`cassette record: ${plural(own.length, "run")} of job ${job} recorded by this machine`);
      const signal = signals.caught();
      if (signal !== undefined) {
        const { running, waiting } = await store.counts(job);
        note(`cassette record: stopped by ${signal}; ${plural(running + waiting, "run")} of the job left`);
        printDocument(request, partOf(plan, own), running + waiting, toExitCode(signal), io);
        return;
      }
      const { merged, part } = await mergeUnits(store, job, { into }, io);
      const [refused] = merged.refused;
      if (refused !== undefined) {
        const hint = `Write to another folder with cassette merge --job ${job} --into DIR and the same --store.`;
        throw new CliError("path-taken", `${refused.file} ${refused.message}`, hint, refused.file);
      }
      const bad = merged.failed.length === 0 ? "" : `; failed: ${merged.failed.join(", ")}`;
      note(`cassette record: ${plural(merged.recordings, "recording")} of ${plural(runs, "run")} in `, into, bad);
      printDocument(request, part, 0, merged.exitCode, io);
    });
  } finally {
    signals.release();
  }
}

/** Takes runs until none is left. Returns those of this machine. */
async function recordOwn(
  store: FleetStore,
  plan: Plan,
  { job, json, prices }: JobRequest,
  caught: () => NodeJS.Signals | undefined,
  io: CommandIo,
): Promise<Unit[]> {
  const note = createNotes(io);
  const costOf = await createCostCounter(prices, io);
  note(`cassette record: job ${job}: `, estimateText(plan.runs, await estimateRun(plan, costOf, io), 1));
  const own: Unit[] = [];
  /** The folder of the last run, until the store has its recordings. */
  let last: string | undefined;
  const removeLast = async (): Promise<void> => {
    if (last !== undefined) await rm(last, { recursive: true, force: true });
    last = undefined;
  };
  const doUnit = async (index: number) => {
    await removeLast();
    const run = index + 1;
    const folder = await makeFolder("playhead-record-");
    const place = { folder, io, stdoutToStderr: json, isStopped: () => caught() !== undefined };
    let isKept = false;
    try {
      const unit = (await recordUnit(partOf(plan), run, place))?.units[0];
      if (unit === undefined) return undefined;
      const { exitCode, files } = unit;
      const cost = costText(await costOf(files.map(({ path }) => join(folder, path))));
      const result = await pack(unit, folder, io.files);
      isKept = true;
      if (!("why" in result)) last = folder;
      const ending = exitCode === 0 ? "" : `, exit code ${exitCode}`;
      const where = "why" in result ? `; ${result.why}; they are kept in ${folder}` : "";
      note(`cassette record: ${nameOf(run)}: `, `${plural(files.length, "recording")}, ${cost}${ending}${where}`);
      own.push(unit);
      return result;
    } finally {
      if (!isKept) await rm(folder, { recursive: true, force: true });
    }
  };
  const units = Array.from({ length: plan.runs }, (_, index) => nameOf(index + 1));
  const isOver = (): boolean => caught() !== undefined;
  try {
    await workOn(store, { plan: toJobPlan(job, plan), units, concurrency: 1, isOver, doUnit });
  } catch (error) {
    if (last !== undefined) note("cassette record: the store may lack the last run, so its recordings stay in ", last);
    throw error;
  }
  await removeLast();
  return own;
}

/** The document of one machine, as of any other recording of runs. */
function printDocument(
  { into, json }: JobRequest,
  { plan, units }: Part,
  left: number,
  exitCode: number,
  io: CommandIo,
) {
  io.exit(exitCode);
  const { command: ran, runs } = plan;
  if (json) writeJson(io, "record", exitCode, { ran, into, runs, shard: 1, shards: 1, left, units });
}
