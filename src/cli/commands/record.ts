// `cassette record`: run a command that records.

import type { Command } from "commander";
import type { CommandIo } from "../io.js";

/** The flags of `cassette record`. */
export interface RecordOptions {
  refresh?: boolean;
  json?: boolean;
}

/** Declares `cassette record`; what it does is loaded when it runs. */
export function recordCommand(program: Command, io: CommandIo): void {
  program
    .command("record")
    .description("run a command with CASSETTE_MODE=record, and say what it recorded")
    .usage("[options] -- <command...>")
    .argument("<command...>", "the command and its arguments")
    .passThroughOptions()
    .option("--refresh", "replace recordings that exist (CASSETTE_MODE=refresh)")
    .option("--json", "print one JSON document; what the command prints goes to stderr")
    .action(async (command: string[], { refresh, json }: RecordOptions) => {
      const { runWithCassettes } = await import("../child/run.js");
      const mode = refresh === true ? "refresh" : "record";
      await runWithCassettes({ verb: "record", mode, command, json: json === true }, io);
    });
}
