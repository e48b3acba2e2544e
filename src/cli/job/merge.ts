// `cassette merge`: merges the given parts, or the results of a job.

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { FleetStore } from "../../host/index.js";
import { usageError } from "../errors.js";
import type { CommandIo } from "../terminal/io.js";
import { readPlan } from "./plan.js";
import { jobOf, withStore, type JobOptions } from "./store.js";

interface AnyMerge extends Partial<JobOptions> {
  into?: string;
  allowMissing?: boolean;
  json?: boolean;
}

/** Throws `usage` for options that do not go together, and the errors of the merge. */
export async function mergeAny(folders: readonly string[], options: AnyMerge, io: CommandIo): Promise<void> {
  const own = jobOf(options);
  await assertNoFile(options.into, io);
  if (own === undefined) {
    if (folders.length === 0) throw usageError("no part was given", "Name the folders of cassette record --shard.");
    const { mergeParts } = await import("../runs/merge.js");
    return mergeParts(folders, withInto(options), io);
  }
  if (folders.length > 0) throw usageError("--job was given with parts", "Leave out the parts, or --job and --store.");
  const merge = async (store: FleetStore): Promise<void> => {
    const plan = await readPlan(store, own.job);
    if (plan.of === "record") {
      const { mergeRecordJob } = await import("../runs/merge-job.js");
      return mergeRecordJob(store, own.job, withInto(options), io);
    }
    if (options.into !== undefined)
      throw usageError(`job ${own.job} of cassette mutate has no recordings`, "Leave out --into.");
    const { mergeMutateJob } = await import("../mutate/job.js");
    return mergeMutateJob(store, plan, options, io);
  };
  await withStore(own.store, io, merge, { mustExist: true });
}

/** Refuses a destination that is a file or lies below one. */
async function assertNoFile(into: string | undefined, { cwd }: CommandIo): Promise<void> {
  if (into === undefined) return;
  const found = await stat(resolve(cwd, into)).catch((error: unknown) => (error as NodeJS.ErrnoException).code);
  const what = found === "ENOTDIR" ? "is below a file" : "is a file";
  if (found === "ENOTDIR" || (typeof found === "object" && !found.isDirectory()))
    throw usageError(`--into ${into} ${what}`, "Name a folder for all recordings.");
}

function withInto<Options extends AnyMerge>(options: Options): Options & { into: string } {
  const { into } = options;
  if (into === undefined) throw usageError("--into was not given", "Name the folder for all recordings.");
  return { ...options, into };
}
