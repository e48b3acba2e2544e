// `cassette fork`: runs a command that replays one cassette up to a turn, and records a new cassette from there.

import type { Command } from "commander";
import { wholeNumber, parsePath } from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";

export function forkCommand(program: Command, io: CommandIo): void {
  program
    .command("fork")
    .description("replay a cassette up to a turn, and record a new one from there")
    .usage("[options] <file> -- <command...>")
    .argument("<file>", "cassette to fork; every other cassette is replayed", parsePath)
    .argument("<command...>", "command to run, with its arguments")
    .requiredOption("--at <turn>", "first live turn, counted from 0", wholeNumber(0, 999_999_999))
    .requiredOption("--out <file>", "new cassette; it must not exist", parsePath)
    .option("--json", "print one JSON document; the output of the command goes to stderr")
    .action(runs(async () => (await import("../fork/fork.js")).fork, io));
}
