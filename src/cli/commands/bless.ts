// `cassette bless`: accepts runs with a different behaviour into the baseline, with a reason.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { collectPaths, parsePath } from "../options/values.js";

export function blessCommand(program: Command, io: CommandIo): void {
  program
    .command("bless")
    .description("add runs to a baseline as accepted variants, replacing nothing")
    .argument("<path...>", "cassette files or folders", collectPaths)
    .requiredOption("--into <folder>", "folder of the baseline", parsePath)
    .requiredOption("--reason <text>", "why this behaviour is right, for later readers")
    .option(
      "--key <key>",
      "sign with this private key: a PEM file or env:NAME (default: CASSETTE_SIGNING_KEY, if it is set)",
    )
    .option("--lock <file>", "lock file to add the runs to, if it exists", parsePath, "cassettes.lock")
    .option("--success <pointer>", "JSON pointer into a run's outcome that says whether the run succeeded")
    .option("--allow-error", "accept a run that recorded an error and does not say whether it succeeded")
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../bless/bless.js")).bless, io));
}
