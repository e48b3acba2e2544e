// `cassette verify`: does every cassette load, and does every hash in it hold? And with --receipts: is a chain of signed receipts
// whole?

import type { Command } from "commander";
import type { CommandIo } from "../io.js";
import { collectPaths, parsePath } from "../path.js";
import type { ReceiptsOptions } from "../verify/receipts.js";
import type { VerifyOptions } from "../verify/verify.js";

/** Declares `cassette verify`; what it does is loaded when it runs. */
export function verifyCommand(program: Command, io: CommandIo): void {
  program
    .command("verify")
    .description(
      "check files, or all *.cassette.json and *.bundle.json below folders; with --receipts also a chain of signed receipts",
    )
    .argument("[path...]", "cassette or bundle files, or folders", collectPaths)
    .option("--require-integrity", "refuse version 1, whose contents nothing proves")
    .option(
      "--receipts <file>",
      "check this file of receipts, and that it covers each turn of the cassettes named",
      parsePath,
    )
    .option("--key <key>", "the public key of the receipts: a file, the key itself, or env:NAME")
    .option("--json", "print one JSON document")
    .action(async (paths: string[], options: VerifyOptions & Partial<ReceiptsOptions>) => {
      const { receipts, key, ...rest } = options;
      if (receipts === undefined && key === undefined) {
        const { verify } = await import("../verify/verify.js");
        return verify(paths, rest, io);
      }
      const { verifyWithReceipts } = await import("../verify/receipts.js");
      return verifyWithReceipts(paths, options, io);
    });
}
