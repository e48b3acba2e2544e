// `cassette scan`: does any file hold what looks like a secret?

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { collectPaths } from "../options/path.js";
import type { ScanOptions } from "../scan/scan.js";

/** Declares `cassette scan`; what it does is loaded when it runs. */
export function scanCommand(program: Command, io: CommandIo): void {
  program
    .command("scan")
    .description("name every place in files, or in all files below folders, that looks like a secret")
    .argument("<path...>", "cassettes, logs and any other text; or folders", collectPaths)
    .option("--email", "also name e-mail addresses")
    .option("--values-from-env", "also name the values of environment variables whose names look secret")
    .option("--json", "print one JSON document")
    .action(async (paths: string[], options: ScanOptions) => {
      const { scan } = await import("../scan/scan.js");
      await scan(paths, options, io);
    });
}
