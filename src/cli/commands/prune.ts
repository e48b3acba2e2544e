// `cassette prune`: lists cassettes that no run used, and duplicates.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { collectPaths, jobsOption, parsePath } from "../options/values.js";

export function pruneCommand(program: Command, io: CommandIo): void {
  program
    .command("prune")
    .description("list cassettes that no test run used, and duplicates")
    .argument("<folder...>", "folders of cassettes", collectPaths)
    .option("--ledger <file>", "CASSETTE_LEDGER file of a run of all tests; repeatable", collectPaths)
    .option("--from <folder>", "read every *.jsonl file of this folder as a ledger", parsePath)
    .option("--write", "delete the cassettes that no run used; duplicates stay")
    .addOption(jobsOption())
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../prune/prune.js")).prune, io));
}
