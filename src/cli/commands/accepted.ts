// `cassette accepted`: the reasons in a baseline, and whether they hold.

import type { Command } from "commander";
import type { AcceptedOptions } from "../bless/accepted.js";
import type { CommandIo } from "../terminal/io.js";
import { parsePath } from "../options/path.js";

/** Declares `cassette accepted`; what it does is loaded when it runs. */
export function acceptedCommand(program: Command, io: CommandIo): void {
  program
    .command("accepted")
    .description("list why the variants of a baseline were accepted, and check each line against its cassette")
    .argument("<folder>", "the baseline", parsePath)
    .option("--trust <keys>", "ask for a signature by a key of this trust file", parsePath)
    .option("--json", "print one JSON document")
    .action(async (folder: string, options: AcceptedOptions) => {
      const { accepted } = await import("../bless/accepted.js");
      await accepted(folder, options, io);
    });
}
