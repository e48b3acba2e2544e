// `cassette migrate`: version 1 cassettes as version 2, beside the originals.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import type { MigrateOptions } from "../migrate/migrate.js";
import { parsePath } from "../options/path.js";

/** Declares `cassette migrate`; what it does is loaded when it runs. */
export function migrateCommand(program: Command, io: CommandIo): void {
  program
    .command("migrate")
    .description("copy version 1 cassettes as version 2; the copy has no more trust than the original")
    .argument("<path>", "a cassette file, or a folder of them", parsePath)
    .requiredOption("--out <path>", "the new file, or for a folder the new folder", parsePath)
    .option("--json", "print one JSON document")
    .action(async (path: string, options: MigrateOptions) => {
      const { migrate } = await import("../migrate/migrate.js");
      await migrate(path, options, io);
    });
}
