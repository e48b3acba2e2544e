// `cassette lock`: the cassettes of a project and their hashes, in one file to commit.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { collectPaths, jobsOption, parsePath } from "../options/values.js";

export function lockCommand(program: Command, io: CommandIo): void {
  program
    .command("lock")
    .description("write cassettes.lock, or check cassettes against it")
    .argument("[path...]", "cassette files or folders (default: everything that the lock lists)", collectPaths)
    .option("--file <file>", "lock file, in a folder above its cassettes", parsePath, "cassettes.lock")
    .option("--update", "also lock changed cassettes, and drop missing ones")
    .option("--check", "write nothing, and exit 3 if the lock does not match")
    .addOption(jobsOption())
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../lock/lock.js")).lock, io));
}
