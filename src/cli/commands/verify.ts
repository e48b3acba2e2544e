// `cassette verify`: does every cassette load, and does every hash in it hold?

import type { Command } from "commander";
import type { CommandIo } from "../io.js";
import { collectPaths } from "../path.js";
import type { VerifyOptions } from "../verify/verify.js";

/** Declares `cassette verify`; what it does is loaded when it runs. */
export function verifyCommand(program: Command, io: CommandIo): void {
  program
    .command("verify")
    .description("check files, or all *.cassette.json and *.bundle.json below folders")
    .argument("<path...>", "cassette or bundle files, or folders", collectPaths)
    .option("--require-integrity", "refuse version 1, whose contents nothing proves")
    .option("--json", "print one JSON document")
    .action(async (paths: string[], options: VerifyOptions) => {
      const { verify } = await import("../verify/verify.js");
      await verify(paths, options, io);
    });
}
