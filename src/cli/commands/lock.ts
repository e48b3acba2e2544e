// `cassette lock`: which cassettes there are, and what each of them is, in one file to be committed.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import type { LockCommandOptions } from "../lock/lock.js";
import { collectPaths, parsePath } from "../options/path.js";

/** Declares `cassette lock`; what it does is loaded when it runs. */
export function lockCommand(program: Command, io: CommandIo): void {
  program
    .command("lock")
    .description("write cassettes.lock for cassettes, or all *.cassette.json below folders")
    .argument("[path...]", "cassette files or folders; without any, those that the lock has", collectPaths)
    .option("--file <file>", "the lock file, in a folder above its cassettes", parsePath, "cassettes.lock")
    .option("--update", "also write what was changed or removed, which is left alone otherwise")
    .option("--check", "write nothing; exit 3 where the lock is not what it should be")
    .option("--json", "print one JSON document")
    .action(async (paths: string[], options: LockCommandOptions) => {
      const { lock } = await import("../lock/lock.js");
      await lock(paths, options, io);
    });
}
