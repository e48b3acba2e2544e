// `cassette verify`: checks that cassettes load, that their hashes hold, and that the lock and a trusted key confirm them. With
// --receipts, it checks that a chain of signed receipts is complete.

import { Option, type Command } from "commander";
import { jobsOption, maxBytesOption, collectPaths, parsePath } from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";
import type { ReceiptsOptions } from "../verify/receipts.js";
import type { VerifyOptions } from "../verify/verify.js";

export function verifyCommand(program: Command, io: CommandIo): void {
  program
    .command("verify")
    .description("check hashes, lock, signatures and receipts of cassettes")
    .argument("[path...]", "cassette or bundle files, or folders", collectPaths)
    .option("--require-integrity", "refuse version 1, whose contents nothing proves, and cassettes migrated from it")
    .addOption(new Option("--min-version <n>", "refuse a lower version").choices(["1", "2"]))
    .option("--lock [file]", "refuse what the lock (default cassettes.lock) does not confirm or list", parsePath)
    .option("--trust <keys>", "refuse signatures by keys that are not in this trust file and in force", parsePath)
    .option("--require-signature", "with --trust: refuse a cassette without a signature")
    .option("--independent", "recompute every hash and signature with a second implementation, and compare")
    .option(
      "--receipts <file>",
      "check this file of receipts, and that it covers each turn of the named cassettes; repeatable",
      collectPaths,
    )
    .option("--key <key>", "public key of the receipts: a file, the key itself or env:NAME")
    .option("--require-complete", "with --receipts: refuse a chain without its end, because its tail may be missing")
    .addOption(jobsOption())
    .addOption(maxBytesOption())
    .option("--json", "print one JSON document")
    .action(async (paths: string[], options: VerifyOptions & Partial<ReceiptsOptions>) => {
      const { receipts, key, requireComplete, ...rest } = options;
      if (receipts === undefined && key === undefined && requireComplete === undefined) {
        const { verify } = await import("../verify/verify.js");
        return verify(paths, rest, io);
      }
      const { verifyWithReceipts } = await import("../verify/receipts.js");
      return verifyWithReceipts(paths, options, io);
    });
}
