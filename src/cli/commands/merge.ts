// `cassette merge`: the parts of a recording in shards as one folder.

import type { Command } from "commander";
import { collectPaths, parsePath } from "../options/values.js";
import { runs } from "../terminal/command-action.js";
import type { CommandIo } from "../terminal/io.js";

export function mergeCommand(program: Command, io: CommandIo): void {
  program
    .command("merge")
    .description("join the parts of a recording in shards")
    .argument("<part...>", "folders of cassette record --shard", collectPaths)
    .requiredOption("--into <folder>", "folder for all recordings", parsePath)
    .option("--allow-missing", "merge although parts are missing, and list them")
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../runs/merge.js")).mergeParts, io));
}
