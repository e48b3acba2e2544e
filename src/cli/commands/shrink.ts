// `cassette shrink`: the shortest form of a drift.

import type { Command } from "commander";
import { comparisonOptions } from "../options/comparison.js";
import { parsePath } from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";

export function shrinkCommand(program: Command, io: CommandIo): void {
  const command = program
    .command("shrink")
    .description("find the fewest turns of two cassettes that show their drift")
    .argument("<base>", "cassette file", parsePath)
    .argument("<candidate>", "cassette file of the other run", parsePath)
    .option("--kind <kind>", "kind of drift to keep, such as args-changed (default: any)")
    .option("--tool <name>", "tool whose drift to keep (default: any)")
    .option(
      "--rules <file>",
      "keep the first rule of this file that the candidate breaks and the base keeps, instead of a drift",
      parsePath,
    )
    .option("--out <folder>", "write the two short cassettes to this folder", parsePath)
    .option("--force", "with --out: replace existing cassettes");
  comparisonOptions(command)
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../shrink/shrink.js")).shrink, io));
}
