// `cassette mutate`: which changes of a recording does no test notice?

import { InvalidArgumentError, type Command } from "commander";
import type { MutantKind } from "../../harness/index.js";
import { MUTANT_CHOICES } from "../options/choices.js";
import type { CommandIo } from "../terminal/io.js";
import type { MutateOptions } from "../mutate/mutate.js";
import { collectPaths, parsePath } from "../options/path.js";
import { splitCommand } from "../terminal/split-command.js";

/** Each run listens for signals, and Node warns of more than ten listeners. */
const MAX_AT_ONCE = 8;

/** Declares `cassette mutate`; what it does is loaded when it runs. */
export function mutateCommand(program: Command, io: CommandIo): void {
  program
    .command("mutate")
    .description("change copies of cassettes one place at a time, run the tests on each, and list what no test noticed")
    .usage("[options] [path...] -- <command...>")
    .argument("[path...]", "cassette files or folders (default: all that the command loads)", collectPaths)
    .option("--kinds <list>", `what to change, of ${MUTANT_CHOICES.join(",")} (default: all)`, parseKinds)
    .option("--max <n>", "the most mutants to run", parseCount, 100)
    .option("--max-minutes <m>", "begin no further mutant after so many minutes", parseMinutes)
    .option("--seed <text>", "decides which mutants are run and what is changed in them", "1")
    .option("--only <id>", "run the mutant with this id; may be repeated", collectIds)
    .option("--report <file>", "add a line of JSON for each mutant; must not exist without --resume", parsePath)
    .option("--resume", "with --report: run only what the report does not hold yet")
    .option("--rerun-survivors", "with --resume: run those again that survived, such as after a test was tightened")
    .option("--concurrency <n>", "how many runs of the command at once", parseAtOnce, 1)
    .option("--json", "print one JSON document; what the command prints goes to stderr")
    .action(async (given: string[], options: MutateOptions) => {
      const { CliError } = await import("../errors.js");
      const { before: paths, command = [] } = splitCommand(given, program);
      if (command.length === 0) {
        throw new CliError("usage", "no command was given", "Put the command that runs the tests after --.");
      }
      if (options.resume === true && options.report === undefined) {
        throw new CliError("usage", "--resume was given without --report", "Name the report of the run to resume.");
      }
      if (options.rerunSurvivors === true && options.resume !== true) {
        const what = "--rerun-survivors was given without --resume";
        throw new CliError("usage", what, "Without a report to go on with, every mutant is run.");
      }
      const { mutate } = await import("../mutate/mutate.js");
      await mutate(paths, command, options, io);
    });
}

function parseKinds(text: string): MutantKind[] {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !(MUTANT_CHOICES as readonly string[]).includes(word));
  if (unknown === undefined) return MUTANT_CHOICES.filter((kind) => words.includes(kind));
  throw new InvalidArgumentError(`"${unknown}" is no kind; there are ${MUTANT_CHOICES.join(", ")}.`);
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 1 to 9999999.");
}

function parseAtOnce(text: string): number {
  const count = parseCount(text);
  if (count <= MAX_AT_ONCE) return count;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${MAX_AT_ONCE}.`);
}

function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (/^\d{1,5}(\.\d{1,3})?$/.test(text) && minutes > 0) return minutes;
  throw new InvalidArgumentError("Give a number of minutes above 0, such as 10 or 0.5.");
}

function collectIds(text: string, before: readonly string[] | undefined): string[] {
  if (/^[0-9a-f]{12}$/.test(text)) return [...(before ?? []), text];
  throw new InvalidArgumentError("Give an id of 12 hex digits, as it is printed.");
}
