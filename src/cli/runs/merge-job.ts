// The recordings of a job, from its store into one folder. They pass through a temporary part, which is merged as any other part.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { plural } from "../../core/index.js";
import type { FleetStore } from "../../host/index.js";
import { makeFolder } from "../child/spawn.js";
import { damagedPlan, readPlan, unusable, type JobPlan } from "../job/plan.js";
import { settledUnits } from "../job/work.js";
import { CliError } from "../errors.js";
import type { CommandIo } from "../terminal/io.js";
import { copyParts, report, type Merged, type MergeOptions } from "./merge.js";
import { unpack } from "./packed.js";
import { isRunCount, type Part, type Plan, type Unit } from "./part.js";

type Terms = Pick<MergeOptions, "into" | "allowMissing">;

/** A job has one part. */
export const partOf = (plan: Plan, units: readonly Unit[] = []): Part => ({ plan, shard: 1, units });
export const nameOf = (run: number): string => `run ${run}`;

export function toJobPlan(job: string, { command, runs }: Plan): JobPlan {
  return { of: "record", job, plan: { command: [...command], runs } };
}

/** Exits 0 if everything is merged, 1 if a run failed, and 3 without writing anything if a file is refused. Throws `report-unusable`. */
export async function mergeRecordJob(
  store: FleetStore,
  job: string,
  options: MergeOptions,
  io: CommandIo,
): Promise<void> {
  const { merged, part } = await mergeUnits(store, job, options, io);
  report(merged, `${plural(part.units.length, "run")} of job ${job}`, options, io);
}

/** Copies what the store has. Throws `report-unusable` for a run without a result, unless `allowMissing` is set. */
export async function mergeUnits(
  store: FleetStore,
  job: string,
  { into, allowMissing = false }: Terms,
  io: CommandIo,
): Promise<{ merged: Merged; part: Part }> {
  const plan = toPlan(await readPlan(store, job));
  const folder = await makeFolder("playhead-merge-");
  try {
    const { units, missing } = await unpackUnits(store, job, plan.runs, folder, io);
    const part = partOf(plan, units);
    const hint =
      "Run the command of the job again on any machine. Where a reason is given, use a new --job, or cassette merge --allow-missing.";
    const merged = await copyParts([{ ...part, folder }], missing, { into, allowMissing, hint }, io);
    if (merged === undefined)
      throw unusable(`job ${job} has no recordings`, "Check that the command records cassettes.");
    return { merged, part };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes the recordings of all runs below `folder`, one run at a time. */
async function unpackUnits(
  store: FleetStore,
  job: string,
  runs: number,
  folder: string,
  { files }: CommandIo,
): Promise<{ units: Unit[]; missing: string[] }> {
  const units: Unit[] = [];
  const left = new Map(Array.from({ length: runs }, (_, index) => [nameOf(index + 1), index + 1]));
  const lost: string[] = [];
  for await (const { unit: name, ...result } of settledUnits(store, job)) {
    const run = left.get(name);
    if (run === undefined) throw damagedPlan(job);
    left.delete(name);
    if ("why" in result) {
      lost.push(`${name} (${result.why})`);
      continue;
    }
    const { unit, texts } = await unpack(run, result.text);
    for (const [index, { path }] of unit.files.entries()) await write(join(folder, path), texts[index] ?? "", files);
    units.push(unit);
  }
  return { units, missing: [...lost, ...left.keys()] };
}

async function write(path: string, text: string, files: CommandIo["files"]): Promise<void> {
  const written = await files.write(path, text, { overwrite: false });
  if (written.kind === "written") return;
  const why = written.kind === "failed" ? written.message : "two runs have it";
  throw new CliError("report-unusable", `${path} cannot be written: ${why}`, "Check the temporary folder.", path);
}

function toPlan({ of, job, plan }: JobPlan): Plan {
  const { command, runs } = plan;
  if (of === "record" && Array.isArray(command) && isRunCount(runs))
    return { command: command.map(String), runs, shards: 1 };
  throw damagedPlan(job);
}
