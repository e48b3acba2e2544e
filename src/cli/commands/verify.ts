// `cassette verify`: does every cassette load, does every hash in it hold, and do the lock and a trusted key confirm it? And with
// --receipts: is a chain of signed receipts whole?

import { Option, type Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { parseJobs } from "../options/jobs.js";
import { MAX_BYTES_HELP, parseMaxBytes } from "../options/max-bytes.js";
import { collectPaths, parsePath } from "../options/path.js";
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
    .option("--require-integrity", "refuse version 1, whose contents nothing proves, and what was migrated from it")
    .addOption(new Option("--min-version <n>", "refuse a lower version").choices(["1", "2"]))
    .option(
      "--lock [file]",
      "refuse what the lock does not confirm, and name what is missing (cassettes.lock)",
      parsePath,
    )
    .option("--trust <keys>", "refuse a signature by a key that this trust file does not have in force", parsePath)
    .option("--require-signature", "with --trust: refuse a cassette without a signature")
    .option("--independent", "compute every hash and signature again by a second implementation, and compare")
    .option(
      "--receipts <file>",
      "check this file of receipts, and that it covers each turn of the cassettes named (may be repeated)",
      collectPaths,
    )
    .option("--key <key>", "the public key of the receipts: a file, the key itself, or env:NAME")
    .option("--require-complete", "with --receipts: refuse a chain without its end, whose tail may have been cut off")
    .option(
      "--jobs <n>",
      "threads that share the files; 1 is this one alone (the cores, where it is worth it)",
      parseJobs,
    )
    .option("--max-bytes <n>", MAX_BYTES_HELP, parseMaxBytes)
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
