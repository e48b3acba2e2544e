// `cassette drift`: tests whether two sets of runs differ by more than chance.

import { InvalidArgumentError, Option, type Command } from "commander";
import type { Verdict } from "../../harness/index.js";
import type { DriftOptions } from "../drift/commands.js";
import type { ReportTarget } from "../drift/outputs.js";
import { comparisonOptions } from "../options/comparison.js";
import { wholeNumber, parsePath, REPORTER_CHOICES, VERDICT_CHOICES } from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";

export function driftCommand(program: Command, io: CommandIo): void {
  const command = program
    .command("drift")
    .description("test whether new runs of each scenario behave like the old ones")
    .argument("<base>", "cassette file or folder of the runs to compare with", parsePath)
    .argument("<candidate>", "cassette file or folder of the runs to judge", parsePath)
    .addOption(
      new Option("--fail-on <verdicts>", `verdicts that exit 1: none, or some of ${VERDICT_CHOICES.join(", ")}`)
        .argParser(parseVerdicts)
        .default(["regression", "drift"], "regression,drift"),
    )
    .addOption(
      new Option("--on-inconclusive <what>", "result for too few runs").choices(["pass", "fail"]).default("pass"),
    )
    .option("--alpha <rate>", "accepted rate of false alarms", parseAlpha, 0.05)
    .option("--min-runs <n>", "runs that each side of a scenario needs to be tested by itself", wholeNumber(1, 999), 2)
    .option("--seed <n>", "seed of the random relabelings", wholeNumber(0, 999_999_999), 1)
    .option("--success <pointer>", "JSON pointer into a run's outcome that says whether the run succeeded");
  comparisonOptions(command)
    .option("--rules <file>", "rules that every run must keep (default: cassette.rules.json, if it exists)", parsePath)
    .option("--no-rules", "use no rules file")
    .option("--shared-only", "do not count scenarios that only one side has as drift")
    .option(
      "--reporter <list>",
      `reports to make, some of ${REPORTER_CHOICES.join(", ")}; name=file writes a file (default: text)`,
      parseReporters,
    )
    .option("--force", "replace existing report files")
    .option("--json", "print one JSON document")
    .action(async (base: string, candidate: string, given: Omit<DriftOptions, "reporter"> & Partial<DriftOptions>) => {
      const { drift } = await import("../drift/drift.js");
      const reporter = given.reporter ?? (given.json === true ? [] : [{ name: "text" }]);
      await drift(base, candidate, { ...given, reporter }, io);
    });
}

function parseVerdicts(text: string): Verdict[] {
  const words = text.split(",").map((word) => word.trim());
  if (words.join() === "none") return [];
  const unknown = words.find((word) => !(VERDICT_CHOICES as readonly string[]).includes(word));
  if (unknown === undefined) return VERDICT_CHOICES.filter((verdict) => words.includes(verdict));
  throw new InvalidArgumentError(`"${unknown}" is not a verdict. Use none, or some of ${VERDICT_CHOICES.join(", ")}.`);
}

function parseAlpha(text: string): number {
  const alpha = Number(text);
  const isNumber = /^(?:\d*\.)?\d+(?:e-?\d{1,2})?$/i.test(text);
  if (isNumber && alpha >= 1e-9 && alpha < 1) return alpha;
  throw new InvalidArgumentError("Give a rate from 1e-9 to below 1, such as 0.05.");
}

function parseReporters(text: string, before: readonly ReportTarget[] = []): ReportTarget[] {
  const targets = text.split(",").map((part): ReportTarget => {
    const [name = "", ...out] = part.trim().split("=");
    if (!REPORTER_CHOICES.includes(name)) {
      throw new InvalidArgumentError(`"${name}" is not a reporter. Use some of ${REPORTER_CHOICES.join(", ")}.`);
    }
    return out.length === 0 ? { name } : { name, out: parsePath(out.join("=")) };
  });
  return [...before, ...targets];
}
