// `cassette attest`: an in-toto statement about one cassette, for supply-chain tools.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { parsePath } from "../options/values.js";

export function attestCommand(program: Command, io: CommandIo): void {
  program
    .command("attest")
    .description("print an in-toto statement that a cassette verifies")
    .argument("<file>", "cassette file", parsePath)
    .option("--key <key>", "private key (PEM file or env:NAME); prints the statement in a signed DSSE envelope")
    .option("--json", "print one JSON document that contains the statement")
    .action(runs(async () => (await import("../sign/attest.js")).attest, io));
}
