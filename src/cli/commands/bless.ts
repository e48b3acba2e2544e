// `cassette bless`: a run that behaves otherwise, accepted into the baseline with a reason.

import type { Command } from "commander";
import type { BlessOptions } from "../bless/bless.js";
import type { CommandIo } from "../terminal/io.js";
import { collectPaths, parsePath } from "../options/path.js";

/** Declares `cassette bless`; what it does is loaded when it runs. */
export function blessCommand(program: Command, io: CommandIo): void {
  program
    .command("bless")
    .description("accept recorded runs into a baseline as further variants; nothing in it is replaced")
    .argument("<path...>", "cassette files, or folders of them", collectPaths)
    .requiredOption("--into <folder>", "the baseline", parsePath)
    .requiredOption("--reason <text>", "why this behaviour is right, for those who read it later")
    .option(
      "--key <key>",
      "sign with this private key: a PEM file, or env:NAME (default: CASSETTE_SIGNING_KEY, if set)",
    )
    .option("--lock <file>", "the lock that learns of them, if it is there", parsePath, "cassettes.lock")
    .option("--success <pointer>", "where a run's outcome says that it succeeded; as for drift")
    .option("--allow-error", "accept a run that recorded an error and does not say whether it succeeded")
    .option("--json", "print one JSON document")
    .action(async (paths: string[], options: BlessOptions) => {
      const { bless } = await import("../bless/bless.js");
      await bless(paths, options, io);
    });
}
