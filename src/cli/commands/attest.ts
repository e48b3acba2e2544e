// `cassette attest`: an in-toto statement about one cassette, for supply-chain tools.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { parsePath } from "../options/path.js";
import type { AttestOptions } from "../sign/attest.js";

/** Declares `cassette attest`; what it does is loaded when it runs. */
export function attestCommand(program: Command, io: CommandIo): void {
  program
    .command("attest")
    .description("print an in-toto statement that a cassette verifies; with --key in a signed DSSE envelope")
    .argument("<file>", "a cassette file", parsePath)
    .option("--key <key>", "the private key: a PEM file, or env:NAME")
    .option("--json", "print one JSON document around it")
    .action(async (file: string, options: AttestOptions) => {
      const { attest } = await import("../sign/attest.js");
      await attest(file, options, io);
    });
}
