// `cassette diff`: where did the behaviour of two runs, or of two sets of runs, part?

import { Option, type Command } from "commander";
import { ORDER_CHOICES } from "../options/choices.js";
import type { CommandIo } from "../terminal/io.js";
import { parseJobs } from "../options/jobs.js";
import { MAX_BYTES_HELP, parseMaxBytes } from "../options/max-bytes.js";
import { parsePath } from "../options/path.js";
import type { DiffCommandOptions } from "../diff/diff.js";

/** Declares `cassette diff`; what it does is loaded when it runs. */
export function diffCommand(program: Command, io: CommandIo): void {
  program
    .command("diff")
    .description("compare the tool calls of two cassettes, or of two folders of them")
    .argument("<old>", "a cassette file or a folder", parsePath)
    .argument("<new>", "the same, of the other run", parsePath)
    .option("--ignore <pointer>", "leave out /arg/path, or tool:/arg/path; may be repeated", collect, [])
    .addOption(
      new Option("--order <order>", "how much the order of the calls counts").choices(ORDER_CHOICES).default("strict"),
    )
    .option("--read-only <tool>", "calls of this tool (* for any text) may change places; may be repeated", collect, [])
    .option("--content", "compare what the assistant said, too")
    .option("--shared-only", "cassettes on one side only are no drift")
    .option(
      "--tolerances <file>",
      "which arguments count as equal; default cassette.tolerances.json, if it is there",
      parsePath,
    )
    .option("--no-tolerances", "tolerate nothing")
    .option(
      "--jobs <n>",
      "threads that share the files; 1 is this one alone (the cores, where it is worth it)",
      parseJobs,
    )
    .option("--max-bytes <n>", MAX_BYTES_HELP, parseMaxBytes)
    .option("--json", "print one JSON document")
    .action(async (old: string, now: string, options: DiffCommandOptions) => {
      const { diff } = await import("../diff/diff.js");
      await diff(old, now, options, io);
    });
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}
