// `cassette shrink`: a long drift made short.

import { Option, type Command } from "commander";
import { ORDER_CHOICES } from "../options/choices.js";
import type { CommandIo } from "../terminal/io.js";
import { parsePath } from "../options/path.js";
import type { ShrinkOptions } from "../shrink/shrink.js";

/** Declares `cassette shrink`; what it does is loaded when it runs. */
export function shrinkCommand(program: Command, io: CommandIo): void {
  program
    .command("shrink")
    .description(
      "find the shortest beginning and the fewest changed turns of two cassettes that still show their drift",
    )
    .argument("<base>", "a cassette file", parsePath)
    .argument("<candidate>", "the cassette of the other run", parsePath)
    .option("--kind <kind>", "the kind of drift to keep, such as args-changed (default: any)")
    .option("--tool <name>", "the tool whose drift to keep (default: any)")
    .option(
      "--rules <file>",
      "keep, in place of a drift, the first rule of this file that the candidate breaks and the base keeps",
      parsePath,
    )
    .option("--out <folder>", "write the two small cassettes there", parsePath)
    .option("--force", "with --out: replace cassettes that exist")
    .option("--ignore <pointer>", "leave out /arg/path, or tool:/arg/path; may be repeated", collect, [])
    .addOption(
      new Option("--order <order>", "how much the order of the calls counts").choices(ORDER_CHOICES).default("strict"),
    )
    .option("--read-only <tool>", "calls of this tool (* for any text) may change places; may be repeated", collect, [])
    .option("--content", "compare what the assistant said, too")
    .option(
      "--tolerances <file>",
      "which arguments count as equal; default cassette.tolerances.json, if it is there",
      parsePath,
    )
    .option("--no-tolerances", "tolerate nothing")
    .option("--json", "print one JSON document")
    .action(async (base: string, candidate: string, options: ShrinkOptions) => {
      const { shrink } = await import("../shrink/shrink.js");
      await shrink(base, candidate, options, io);
    });
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}
