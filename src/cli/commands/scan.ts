// `cassette scan`: finds text that looks like a secret.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { collectPaths } from "../options/values.js";

export function scanCommand(program: Command, io: CommandIo): void {
  program
    .command("scan")
    .description("find text that looks like a secret, in any files")
    .argument("<path...>", "cassettes, logs or other text files; or folders, with every file in them", collectPaths)
    .option("--email", "also find e-mail addresses")
    .option("--values-from-env", "also find the values of environment variables whose names look secret")
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../scan/scan.js")).scan, io));
}
