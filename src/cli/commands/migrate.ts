// `cassette migrate`: version 2 copies of version 1 cassettes.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { parsePath } from "../options/values.js";

export function migrateCommand(program: Command, io: CommandIo): void {
  program
    .command("migrate")
    .description("copy version 1 cassettes as version 2, without adding trust")
    .argument("<path>", "cassette file or folder", parsePath)
    .requiredOption("--out <path>", "new file, or new folder where <path> is a folder", parsePath)
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../migrate/migrate.js")).migrate, io));
}
