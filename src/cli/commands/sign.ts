// `cassette sign`: a signature in each cassette, or a further one beside it.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { collectPaths } from "../options/path.js";
import type { SignOptions } from "../sign/sign.js";

/** Declares `cassette sign`; what it does is loaded when it runs. */
export function signCommand(program: Command, io: CommandIo): void {
  program
    .command("sign")
    .description("sign cassettes that verify; one that has a signature gets a further one in <file>.dsse")
    .argument("<file...>", "cassette files", collectPaths)
    .requiredOption("--key <key>", "the private key: a PEM file, or env:NAME")
    .option("--json", "print one JSON document")
    .action(async (paths: string[], options: SignOptions) => {
      const { sign } = await import("../sign/sign.js");
      await sign(paths, options, io);
    });
}
