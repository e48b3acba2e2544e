// `cassette replay`: run a command that must be answered from its cassettes.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";

/** The flags of `cassette replay`. */
export interface ReplayCommandOptions {
  json?: boolean;
}

/** Declares `cassette replay`; what it does is loaded when it runs. */
export function replayCommand(program: Command, io: CommandIo): void {
  program
    .command("replay")
    .description("run a command with CASSETTE_MODE=replay, and say what it replayed")
    .usage("[options] -- <command...>")
    .argument("<command...>", "the command and its arguments")
    .passThroughOptions()
    .option("--json", "print one JSON document; what the command prints goes to stderr")
    .action(async (command: string[], { json }: ReplayCommandOptions) => {
      const { runWithCassettes } = await import("../child/run.js");
      await runWithCassettes({ verb: "replay", mode: "replay", command, json: json === true }, io);
    });
}
