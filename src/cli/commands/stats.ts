// `cassette stats`: what do these cassettes hold, all together?

import { Option, type Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { MAX_BYTES_HELP, parseMaxBytes } from "../options/max-bytes.js";
import { collectPaths } from "../options/path.js";
import type { StatsOptions } from "../stats/stats.js";

/** Declares `cassette stats`; what it does is loaded when it runs. */
export function statsCommand(program: Command, io: CommandIo): void {
  program
    .command("stats")
    .description("count turns, tool calls, tokens and cost of cassette files, or of all below folders")
    .argument("<path...>", "cassette files or folders", collectPaths)
    .addOption(new Option("--by <what>", "also count each folder or model apart").choices(["folder", "model"]))
    .option("--max-bytes <n>", MAX_BYTES_HELP, parseMaxBytes)
    .option("--json", "print one JSON document")
    .action(async (paths: string[], options: StatsOptions) => {
      const { stats } = await import("../stats/stats.js");
      await stats(paths, options, io);
    });
}
