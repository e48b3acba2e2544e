// `cassette drift`: are two sets of runs alike, given how much runs of one agent differ anyway?

import { InvalidArgumentError, Option, type Command } from "commander";
import type { Verdict } from "../../harness/index.js";
import { ORDER_CHOICES, REPORTER_CHOICES, VERDICT_CHOICES } from "../options/choices.js";
import type { DriftOptions } from "../drift/drift-options.js";
import type { ReportTarget } from "../drift/outputs.js";
import type { CommandIo } from "../terminal/io.js";
import { parsePath } from "../options/path.js";

/** Declares `cassette drift`; what it does is loaded when it runs. */
export function driftCommand(program: Command, io: CommandIo): void {
  program
    .command("drift")
    .description("judge whether a new set of runs behaves like the old one: several runs of each scenario, tested")
    .argument("<base>", "a folder of cassettes, or one cassette: the runs that are as they should be", parsePath)
    .argument("<candidate>", "the same, of the runs to judge", parsePath)
    .option("--fail-on <verdicts>", `what exits 1, of ${VERDICT_CHOICES.join(",")}, or none`, parseVerdicts, [
      "regression",
      "drift",
    ])
    .addOption(
      new Option("--on-inconclusive <what>", "what too few runs come to").choices(["pass", "fail"]).default("pass"),
    )
    .option("--alpha <rate>", "the accepted rate of false alarms", parseAlpha, 0.05)
    .option("--min-runs <n>", "a scenario with fewer runs on a side is not tested by itself", parseRuns, 2)
    .option("--seed <n>", "of the random relabelings", parseSeed, 1)
    .option("--success <pointer>", "where a run's outcome says that it succeeded")
    .option("--ignore <pointer>", "leave out /arg/path, or tool:/arg/path; may be repeated", collect, [])
    .addOption(
      new Option("--order <order>", "how much the order of the calls counts, from base to candidate")
        .choices(ORDER_CHOICES)
        .default("strict"),
    )
    .option("--read-only <tool>", "calls of this tool (* for any text) may change places; may be repeated", collect, [])
    .option("--content", "compare what the assistant said, too")
    .option(
      "--tolerances <file>",
      "which arguments count as equal; default cassette.tolerances.json, if it is there",
      parsePath,
    )
    .option("--no-tolerances", "tolerate nothing")
    .option("--rules <file>", "what every run must keep; default cassette.rules.json, if it is there", parsePath)
    .option("--no-rules", "hold the runs against no rules")
    .option("--shared-only", "scenarios on one side only are no drift")
    .option(
      "--reporter <list>",
      `how to report, of ${REPORTER_CHOICES.join(",")}; name=file writes a file (default: text)`,
      parseReporters,
    )
    .option("--force", "replace report files that exist")
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
  throw new InvalidArgumentError(
    `"${unknown}" is no verdict; there are ${VERDICT_CHOICES.join(", ")}, and none for nothing.`,
  );
}

function parseAlpha(text: string): number {
  const alpha = Number(text);
  const isNumber = /^(?:\d*\.)?\d+(?:e-?\d{1,2})?$/i.test(text);
  if (isNumber && alpha >= 1e-9 && alpha < 1) return alpha;
  throw new InvalidArgumentError("Give a rate from 1e-9 to below 1, such as 0.05.");
}

function parseRuns(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 1 to 999.");
}

function parseSeed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 0 to 999999999.");
}

function parseReporters(text: string, before: readonly ReportTarget[] = []): ReportTarget[] {
  const targets = text.split(",").map((part): ReportTarget => {
    const [name = "", ...out] = part.trim().split("=");
    if (!REPORTER_CHOICES.includes(name)) {
      throw new InvalidArgumentError(`"${name}" is no reporter; there are ${REPORTER_CHOICES.join(", ")}.`);
    }
    return out.length === 0 ? { name } : { name, out: parsePath(out.join("=")) };
  });
  return [...before, ...targets];
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}
