// `cassette prune`: which cassettes does no run use, and which are there twice?

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { collectPaths, parsePath } from "../options/path.js";
import type { PruneOptions } from "../prune/prune.js";

/** Declares `cassette prune`; what it does is loaded when it runs. */
export function pruneCommand(program: Command, io: CommandIo): void {
  program
    .command("prune")
    .description("list cassettes that no run of a ledger used, and those that are there twice")
    .argument("<folder...>", "folders with cassettes", collectPaths)
    .option("--ledger <file>", "the CASSETTE_LEDGER of a run of all tests; may be repeated", collectPaths)
    .option("--from <folder>", "the same for all *.jsonl files of a folder", parsePath)
    .option("--write", "delete the cassettes that no run used; duplicates stay")
    .option("--json", "print one JSON document")
    .action(async (folders: string[], options: PruneOptions) => {
      const { prune } = await import("../prune/prune.js");
      await prune(folders, options, io);
    });
}
