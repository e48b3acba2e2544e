// `cassette stats`: totals over many cassettes.

import { Option, type Command } from "commander";
import { maxBytesOption, collectPaths, jobsOption, pricesOption } from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";

export function statsCommand(program: Command, io: CommandIo): void {
  program
    .command("stats")
    .description("count turns, tool calls, tokens and cost of cassettes")
    .argument("<path...>", "cassette files or folders", collectPaths)
    .addOption(new Option("--by <what>", "also count each folder or model separately").choices(["folder", "model"]))
    .addOption(pricesOption())
    .addOption(jobsOption())
    .addOption(maxBytesOption())
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../stats/stats.js")).stats, io));
}
