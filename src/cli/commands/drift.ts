// `cassette drift`: tests whether two sets of runs differ by more than chance.

import { InvalidArgumentError, Option, type Command } from "commander";
import type { DriftOptions, FailOn } from "../drift/commands.js";
import { parseThreshold } from "../options/threshold.js";
import { comparisonOptions } from "../options/comparison.js";
import { reporterOption } from "../options/reporters.js";
import {
  collectPaths,
  jobsOption,
  METRIC_CHOICES,
  pricesOption,
  wholeNumber,
  parsePath,
  REPORTER_CHOICES,
  VERDICT_CHOICES,
} from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";

export function driftCommand(program: Command, io: CommandIo): void {
  const command = program
    .command("drift")
    .description("test whether new runs of each scenario behave like the old ones")
    .usage("[options] <base> <candidate...>")
    .argument("[base]", "cassette file or folder of the runs to compare with", parsePath)
    .argument("[candidate...]", "cassette files or folders of the runs to judge, one for each candidate", collectPaths)
    .addOption(
      new Option(
        "--fail-on <list>",
        `verdicts that exit 1: none, or some of ${VERDICT_CHOICES.join(", ")}; and changes that do: ${METRIC_CHOICES.join(", ")} with :+20% or :+2, score:NAME with :-0.1 or :-10%`,
      )
        .argParser(parseFailOn)
        .default({ failOn: ["regression", "drift"], thresholds: [] }, "regression,drift"),
    )
    .addOption(pricesOption())
    .addOption(
      new Option("--on-inconclusive <what>", "result for too few runs").choices(["pass", "fail"]).default("pass"),
    )
    .option("--alpha <rate>", "accepted rate of false alarms", parseAlpha, 0.05)
    .option("--min-runs <n>", "runs that each side of a scenario needs to be tested by itself", wholeNumber(1, 999), 2)
    .option("--seed <n>", "seed of the random relabelings and intervals", wholeNumber(0, 999_999_999), 1)
    .option("--success <pointer>", "JSON pointer into a run's outcome that says whether the run succeeded");
  comparisonOptions(command)
    .option("--rules <file>", "rules that every run must keep (default: cassette.rules.json, if it exists)", parsePath)
    .option("--no-rules", "use no rules file")
    .option("--shared-only", "do not count scenarios that only one side has as drift")
    .addOption(reporterOption(REPORTER_CHOICES))
    .option("--force", "replace existing report files")
    .addOption(jobsOption())
    .option("--history <folder>", "compare nothing, and show the past reports of a folder over time", parsePath)
    .option("--json", "print one JSON document")
    .action(async (base: string | undefined, candidates: string[], given: GivenOptions) => {
      const reporter = given.reporter ?? (given.json === true ? [] : [{ name: "text" }]);
      if (given.history !== undefined) {
        const [only] = [base, ...candidates, ...comparingOptions(command)].filter((each) => each !== undefined);
        const { history } = await import("../drift/history.js");
        return history(given.history, { ...given, reporter }, only, io);
      }
      const { drift } = await import("../drift/drift.js");
      await drift(base, candidates, { ...given, reporter }, io);
    });
}

type GivenOptions = Omit<DriftOptions, "reporter"> & Partial<Pick<DriftOptions, "reporter">> & { history?: string };

/** The given options that `--history` has no use for, which compares nothing. */
function comparingOptions(command: Command): string[] {
  const known = ["history", "reporter", "force", "json"];
  return command.options
    .filter((option) => !known.includes(option.attributeName()))
    .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
    .map((option) => option.long ?? option.flags);
}

/** "regression,cost:+20%". Without a verdict, the default verdicts stay. */
function parseFailOn(text: string): FailOn {
  const words = text.split(",").map((word) => word.trim());
  const increases = words.filter((word) => word.includes(":"));
  const verdicts = words.filter((word) => !increases.includes(word));
  const thresholds = increases.map((word) => {
    const threshold = parseThreshold(word);
    if (typeof threshold === "string") throw new InvalidArgumentError(`${threshold}.`);
    return threshold;
  });
  const twice = thresholds.find(({ metric }, index) => thresholds.findIndex((each) => each.metric === metric) < index);
  if (twice !== undefined) throw new InvalidArgumentError(`${twice.metric} has two thresholds. Give one.`);
  if (verdicts.length === 0) return { failOn: ["regression", "drift"], thresholds };
  if (verdicts.join() === "none") return { failOn: [], thresholds };
  const unknown = verdicts.find((word) => !(VERDICT_CHOICES as readonly string[]).includes(word));
  if (unknown === undefined) return { failOn: VERDICT_CHOICES.filter((each) => verdicts.includes(each)), thresholds };
  throw new InvalidArgumentError(
    `"${unknown}" is not a verdict. Use none, or some of ${VERDICT_CHOICES.join(", ")}, or a change such as cost:+20% or score:helpful:-0.1.`,
  );
}

function parseAlpha(text: string): number {
  const alpha = Number(text);
  const isNumber = /^(?:\d*\.)?\d+(?:e-?\d{1,2})?$/i.test(text);
  if (isNumber && alpha >= 1e-9 && alpha < 1) return alpha;
  throw new InvalidArgumentError("Give a rate from 1e-9 to below 1, such as 0.05.");
}
