// `cassette merge`: the parts of a recording in shards as one folder, or the result of a job.

import type { Command } from "commander";
import { collectPaths, jobOptions, parsePath } from "../options/values.js";
import { runs } from "../terminal/command-action.js";
import type { CommandIo } from "../terminal/io.js";

export function mergeCommand(program: Command, io: CommandIo): void {
  const [job, store] = jobOptions("the job, of cassette record or cassette mutate");
  program
    .command("merge")
    .description("join the recordings of shards, or of a job")
    .usage("[options] <part...> --into <folder>\n       cassette merge --job <name> --store <where> [--into <folder>]")
    .argument("[part...]", "folders of cassette record --shard", collectPaths)
    .option("--into <folder>", "folder for all recordings", parsePath)
    .addOption(job)
    .addOption(store)
    .option("--allow-missing", "merge although parts are missing, and list them")
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../job/merge.js")).mergeAny, io));
}
