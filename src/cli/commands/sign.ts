// `cassette sign`: a signature in each cassette, or a further one next to it.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { collectPaths } from "../options/values.js";

export function signCommand(program: Command, io: CommandIo): void {
  program
    .command("sign")
    .description("sign cassettes; a further signature goes to <file>.dsse")
    .argument("<file...>", "cassette files", collectPaths)
    .requiredOption("--key <key>", "private key: a PEM file or env:NAME")
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../sign/sign.js")).sign, io));
}
