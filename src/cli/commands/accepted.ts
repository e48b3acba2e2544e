// `cassette accepted`: the reasons in a baseline, and whether they still hold.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { parsePath } from "../options/values.js";

export function acceptedCommand(program: Command, io: CommandIo): void {
  program
    .command("accepted")
    .description("list why runs of a baseline were accepted, and check each")
    .argument("<folder>", "folder of the baseline", parsePath)
    .option("--trust <keys>", "require signatures by keys of this trust file", parsePath)
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../bless/accepted.js")).accepted, io));
}
