// `cassette bench`: measures what a command costs besides its model, with a cassette that answers at once.

import { InvalidArgumentError, Option, type Command } from "commander";
import type { BenchThreshold } from "../../harness/index.js";
import type { BenchCommandOptions } from "../bench/bench.js";
import { DEFAULT_BENCH_THRESHOLD_US, MAX_BENCH_RUNS, MAX_BENCH_TURNS, MIN_BENCH_RUNS } from "../limits.js";
import { reporterOption } from "../options/reporters.js";
import { parsePath, wholeNumber } from "../options/values.js";
import { splitCommand } from "../terminal/command-action.js";
import type { CommandIo } from "../terminal/io.js";

export function benchCommand(program: Command, io: CommandIo): void {
  program
    .command("bench")
    .description("time what a command's turns cost besides the model")
    .usage("[options] <file> -- <command...>\n       cassette bench <file> --turns <n> --out <file>")
    .argument("<file>", "cassette that answers; after --, the command to run against it", parsePath)
    .argument("[command...]", "command to run, with its arguments")
    .option("--against <command>", "reference to compare with: another command, as one text for the shell")
    .option("--runs <n>", "processes of each command", wholeNumber(MIN_BENCH_RUNS, MAX_BENCH_RUNS), 20)
    .option("--cpu", "compare processor time, for a machine with other users (Linux only)")
    .addOption(
      new Option("--threshold <change>", "how much slower a turn may get beyond the noise: microseconds, or 5%")
        .argParser(parseChange)
        .default({ amount: DEFAULT_BENCH_THRESHOLD_US, isRelative: false }, String(DEFAULT_BENCH_THRESHOLD_US)),
    )
    .option(
      "--turns <list>",
      "lengths to measure, such as 10,100; turns with tool calls are repeated (default: as recorded)",
      parseTurns,
    )
    .option("--out <file>", "run nothing, and write the cassette stretched to --turns", parsePath)
    .addOption(reporterOption(["text", "json", "markdown", "html"]))
    .option("--force", "replace existing files")
    .option("--json", "print one JSON document")
    .action(async (file: string, given: string[], options: BenchFlags, benching: Command) => {
      const { usageError } = await import("../errors.js");
      const { command = [] } = splitCommand([file, ...given], program);
      const { out, turns, force = false } = options;
      const isGiven = (option: string): boolean => benching.getOptionValueSource(option) === "cli";
      if (out !== undefined) {
        const other = ["against", "runs", "cpu", "threshold", "reporter"].find(isGiven);
        if (other !== undefined)
          throw usageError(`--${other} was given with --out, which runs nothing`, `Leave out --${other}, or --out.`);
        const [length, ...others] = turns ?? [];
        if (command.length > 0 || length === undefined || others.length > 0) {
          throw usageError("--out was given without one length, or with a command", "Give --turns <n> and no command.");
        }
        const { stretch } = await import("../bench/stretch.js");
        return stretch(file, { turns: length, out, force, json: options.json === true }, io);
      }
      if (command.length === 0) throw usageError("no command was given", "Put the command after --.");
      if (isGiven("threshold") && !isGiven("against"))
        throw usageError("--threshold was given without --against", "Add --against, or leave out --threshold.");
      const { bench } = await import("../bench/bench.js");
      const reporter = options.reporter ?? (options.json === true ? [] : [{ name: "text" }]);
      await bench(file, command, { ...options, reporter }, io);
    });
}

type BenchFlags = Omit<BenchCommandOptions, "reporter"> &
  Partial<Pick<BenchCommandOptions, "reporter">> & { out?: string };

function parseChange(text: string): BenchThreshold {
  const [, digits = "", percent = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(%?)$/.exec(text) ?? [];
  if (digits === "") throw new InvalidArgumentError("Give microseconds such as 50, or a share such as 5%.");
  const isRelative = percent !== "";
  return { amount: isRelative ? Number(digits) / 100 : Number(digits), isRelative };
}

function parseTurns(text: string): number[] {
  return [...new Set(text.split(",").map((part) => wholeNumber(2, MAX_BENCH_TURNS)(part.trim())))];
}
