// `cassette fork`: run a command that replays one cassette up to a turn, and goes on live from there into a new one.

import { InvalidArgumentError, type Command } from "commander";
import type { ForkCommandOptions } from "../fork/fork.js";
import type { CommandIo } from "../terminal/io.js";
import { parsePath } from "../options/path.js";

/** Declares `cassette fork`; what it does is loaded when it runs. */
export function forkCommand(program: Command, io: CommandIo): void {
  program
    .command("fork")
    .description(
      "run a command that replays a cassette up to a turn, and record into a new one what it does from there",
    )
    .usage("[options] <file> -- <command...>")
    .argument("<file>", "the cassette to fork; every other one is replayed", parsePath)
    .argument("<command...>", "the command and its arguments")
    .requiredOption("--at <turn>", "the first turn that is live, counted from 0", parseTurn)
    .requiredOption("--out <file>", "the new cassette; must not exist", parsePath)
    .option("--json", "print one JSON document; what the command prints goes to stderr")
    .action(async (file: string, command: string[], options: ForkCommandOptions) => {
      const { fork } = await import("../fork/fork.js");
      await fork(file, command, options, io);
    });
}

function parseTurn(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Turns are counted from 0.");
}
