// `cassette stats`: totals over many cassettes.

import { Option, type Command } from "commander";
import { maxBytesOption } from "../options/limits.js";
import { collectPaths } from "../options/path.js";
import type { StatsOptions } from "../stats/stats.js";
import type { CommandIo } from "../terminal/io.js";

export function statsCommand(program: Command, io: CommandIo): void {
  program
    .command("stats")
    .description("count turns, tool calls, tokens and cost of cassettes")
    .argument("<path...>", "cassette files or folders", collectPaths)
    .addOption(new Option("--by <what>", "also count each folder or model separately").choices(["folder", "model"]))
    .addOption(maxBytesOption())
    .option("--json", "print one JSON document")
    .action(async (paths: string[], options: StatsOptions) => {
      const { stats } = await import("../stats/stats.js");
      await stats(paths, options, io);
    });
}
