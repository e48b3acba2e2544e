// `cassette export`: cassettes in the words of other tools.

import { Option, type Command } from "commander";
import type { ExportFormat } from "../../cassette/index.js";
import type { ExportCommandOptions } from "../export/export.js";
import type { CommandIo } from "../terminal/io.js";
import { parsePath } from "../options/path.js";

/** Kept equal to the cassette layer's EXPORT_FORMATS by a test; a copy, so that a help text loads nothing. */
export const EXPORT_CHOICES: readonly ExportFormat[] = ["openai", "anthropic", "otlp", "ai-sdk"];

/** Declares `cassette export`; what it does is loaded when it runs. */
export function exportCommand(program: Command, io: CommandIo): void {
  program
    .command("export")
    .description("write cassettes as messages or traces, one JSON document on a line for each conversation")
    .argument("<path>", "a cassette file, or a folder of them", parsePath)
    .addOption(new Option("--format <format>", "what to write").choices(EXPORT_CHOICES).makeOptionMandatory())
    .option("--out <file>", "the file to write; without it, the lines are printed", parsePath)
    .option("--force", "replace the file if it exists")
    .option("--json", "print one JSON document; without --out the exported ones are in it")
    .action(async (path: string, options: ExportCommandOptions) => {
      const { exportCassettes } = await import("../export/export.js");
      await exportCassettes(path, options, io);
    });
}
