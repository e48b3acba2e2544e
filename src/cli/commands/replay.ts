// `cassette replay`: runs a command that must be answered from its cassettes.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";

export function replayCommand(program: Command, io: CommandIo): void {
  program
    .command("replay")
    .description("run a command in replay mode, and list the cassettes it used")
    .usage("[options] -- <command...>")
    .argument("<command...>", "command to run, with its arguments")
    .passThroughOptions()
    .option("--json", "print one JSON document; the output of the command goes to stderr")
    .action(async (command: string[], { json }: { json?: boolean }) => {
      const { runWithCassettes } = await import("../child/run-with-cassettes.js");
      await runWithCassettes({ verb: "replay", mode: "replay", command, json: json === true }, io);
    });
}
