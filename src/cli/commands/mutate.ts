// `cassette mutate`: finds changes of a recording that no test notices.

import { InvalidArgumentError, type Command } from "commander";
import type { MutantKind } from "../../harness/index.js";
import { MAX_MUTANTS_AT_ONCE } from "../limits.js";
import type { JobOptions } from "../job/store.js";
import { wholeNumber, collectPaths, jobOptions, parsePath, shardOption, MUTANT_CHOICES } from "../options/values.js";
import type { MutateOptions } from "../mutate/mutate.js";
import type { CommandIo } from "../terminal/io.js";
import { splitCommand } from "../terminal/command-action.js";

export function mutateCommand(program: Command, io: CommandIo): void {
  const [job, store] = jobOptions("share the mutants with all machines that use this name");
  program
    .command("mutate")
    .description("run tests on changed cassettes, and list the changes they miss")
    .usage("[options] [path...] -- <command...>")
    .argument("[path...]", "cassette files or folders (default: all that the command loads)", collectPaths)
    .option("--kinds <list>", `what to change, some of ${MUTANT_CHOICES.join(", ")} (default: all)`, parseKinds)
    .option("--max <n>", "maximum number of mutants to run", wholeNumber(1, 9_999_999), 100)
    .option("--max-minutes <m>", "minutes after which no further mutant is started", parseMinutes)
    .option("--seed <text>", "seed that decides which mutants are run and what changes in each", "1")
    .option("--only <id>", "run the mutant with this id; repeatable", collectIds)
    .option(
      "--report <file>",
      "append one JSON line for each mutant; without --resume the file must not exist",
      parsePath,
    )
    .option("--resume", "with --report: run only the mutants that the report does not contain")
    .option("--rerun-survivors", "with --resume: also run the survivors again")
    .option("--concurrency <n>", "number of runs at once", wholeNumber(1, MAX_MUTANTS_AT_ONCE), 1)
    .addOption(shardOption("with --report: run one"))
    .addOption(job)
    .addOption(store)
    .option("--merge", "the paths are reports of all shards: print one table and one score, and run nothing")
    .option("--json", "print one JSON document; the output of the command goes to stderr")
    .action(async (given: string[], options: MutateOptions & Partial<JobOptions> & { merge?: boolean }) => {
      const { CliError } = await import("../errors.js");
      const { before: paths, command = [] } = splitCommand(given, program);
      if (options.merge === true) {
        if (command.length > 0)
          throw new CliError("usage", "--merge runs no command", "Leave out -- and what follows.");
        if (options.job !== undefined || options.store !== undefined) {
          throw new CliError(
            "usage",
            "--merge cannot be used with --job or --store",
            "Use cassette merge --job instead.",
          );
        }
        const { mergeReports } = await import("../mutate/merge.js");
        return mergeReports(paths, options, io);
      }
      if (command.length === 0) {
        throw new CliError("usage", "no command was given", "Put the command that runs the tests after --.");
      }
      if (options.resume === true && options.job !== undefined) {
        throw new CliError(
          "usage",
          "--resume cannot be used with --job",
          "Run the same command again to continue the job.",
        );
      }
      if (options.resume === true && options.report === undefined) {
        throw new CliError("usage", "--resume was given without --report", "Name the report of the run to resume.");
      }
      if (options.rerunSurvivors === true && options.resume !== true) {
        const what = "--rerun-survivors was given without --resume";
        throw new CliError("usage", what, "Add --resume, or leave it out: a new report runs every mutant.");
      }
      if (options.shard !== undefined && (options.report === undefined || options.only !== undefined)) {
        const hint = "Name a report for each shard, and join them with --merge.";
        throw new CliError("usage", "--shard needs --report, and cannot be used with --only", hint);
      }
      const shared = await jobOf(options);
      const { mutate } = await import("../mutate/mutate.js");
      await mutate(paths, command, { ...options, ...(shared === undefined ? {} : { shared }) }, io);
    });
}

async function jobOf(options: MutateOptions & Partial<JobOptions>): Promise<JobOptions | undefined> {
  if (options.job === undefined && options.store === undefined) return undefined;
  const store = await import("../job/store.js");
  const { report, only, shard } = options;
  if (report === undefined && only === undefined && shard === undefined) return store.jobOf(options);
  const { usageError } = await import("../errors.js");
  throw usageError(
    "--job cannot be used with --report, --shard or --only",
    "Leave them out. The store has the results.",
  );
}

function parseKinds(text: string): MutantKind[] {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !(MUTANT_CHOICES as readonly string[]).includes(word));
  if (unknown === undefined) return MUTANT_CHOICES.filter((kind) => words.includes(kind));
  throw new InvalidArgumentError(`"${unknown}" is not a kind. Use some of ${MUTANT_CHOICES.join(", ")}.`);
}

function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (/^\d{1,5}(\.\d{1,3})?$/.test(text) && minutes > 0) return minutes;
  throw new InvalidArgumentError("Give a number of minutes above 0, such as 10 or 0.5.");
}

function collectIds(text: string, before: readonly string[] | undefined): string[] {
  if (/^[0-9a-f]{12}$/.test(text)) return [...(before ?? []), text];
  throw new InvalidArgumentError("Give a printed id of 12 hex digits.");
}
