// `cassette keygen`: a new key to sign cassettes with.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { parsePath } from "../options/path.js";
import type { KeygenOptions } from "../sign/keygen.js";

/** Declares `cassette keygen`; what it does is loaded when it runs. */
export function keygenCommand(program: Command, io: CommandIo): void {
  program
    .command("keygen")
    .description("make an Ed25519 key: the private part in <name>.pem, the public part on stdout, as a trust file")
    .option("--out <name>", "where the private key goes; nothing is ever overwritten", parsePath, "cassette-key")
    .option("--json", "print one JSON document")
    .action(async (options: KeygenOptions) => {
      const { keygen } = await import("../sign/keygen.js");
      await keygen(options, io);
    });
}
