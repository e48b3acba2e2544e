// `cassette diff`: shows where the behaviour of two runs, or of two sets of runs, differs.

import type { Command } from "commander";
import { comparisonOptions } from "../options/comparison.js";
import { jobsOption, maxBytesOption, parsePath } from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";

export function diffCommand(program: Command, io: CommandIo): void {
  const command = program
    .command("diff")
    .description("compare the tool calls of two cassettes, or of two folders")
    .argument("<old>", "cassette file or folder of the old run", parsePath)
    .argument("<new>", "cassette file or folder of the new run", parsePath);
  comparisonOptions(command)
    .option("--shared-only", "do not count cassettes that only one side has as drift")
    .addOption(jobsOption())
    .addOption(maxBytesOption())
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../diff/diff.js")).diff, io));
}
