// `cassette check`: checks recorded runs against rules.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { collectPaths, parsePath } from "../options/values.js";

export function checkCommand(program: Command, io: CommandIo): void {
  program
    .command("check")
    .description("check cassettes against a file of rules")
    .argument("<path...>", "cassette files or folders", collectPaths)
    .option("--rules <file>", "rules file (default: cassette.rules.json)", parsePath)
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../check/check.js")).check, io));
}
