// `cassette export`: cassettes in the formats of other tools.

import { Option, type Command } from "commander";
import type { ExportFormat } from "../../cassette/index.js";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { parsePath } from "../options/values.js";

/** A copy of the cassette layer's EXPORT_FORMATS, so that a help text loads nothing; a test compares them. */
export const EXPORT_CHOICES: readonly ExportFormat[] = ["openai", "anthropic", "otlp", "ai-sdk"];

export function exportCommand(program: Command, io: CommandIo): void {
  program
    .command("export")
    .description("write cassettes as messages or traces, one JSON line for each")
    .argument("<path>", "cassette file or folder", parsePath)
    .addOption(new Option("--format <format>", "format to write").choices(EXPORT_CHOICES).makeOptionMandatory())
    .option("--out <file>", "file to write (default: stdout)", parsePath)
    .option("--force", "replace an existing file")
    .option("--json", "print one JSON document, which contains the exported lines unless --out is given")
    .action(runs(async () => (await import("../export/export.js")).exportCassettes, io));
}
