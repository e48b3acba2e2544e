// `cassette import`: logs of other tools made into cassettes.

import { Option, type Command } from "commander";
import type { ImportFormat } from "../../cassette/index.js";
import type { CommandIo } from "../terminal/io.js";
import { collectPaths, parsePath } from "../options/path.js";
import type { ImportCommandOptions } from "../import/import.js";

/** Kept equal to the cassette layer's IMPORT_FORMATS by a test; a copy, so that a help text loads nothing. */
export const FORMAT_CHOICES: readonly ImportFormat[] = [
  "har",
  "vcr",
  "nock",
  "claude-code",
  "atif",
  "swe-agent",
  "mini-swe-agent",
  "tau-bench",
  "agentdojo",
  "otlp",
  "otel-spans",
  "langfuse",
  "inspect",
  "ai-sdk-messages",
  "anthropic-messages",
  "openai-messages",
];

/** Declares `cassette import`; what it does is loaded when it runs. */
export function importCommand(program: Command, io: CommandIo): void {
  program
    .command("import")
    .description("make cassettes from logs and recorded HTTP: JSON, JSON Lines, or YAML; gzipped or not")
    .argument("<file...>", "log files", collectPaths)
    .requiredOption("--out <folder>", "where the cassettes go, as <model>/<task>[.<trial>].cassette.json", parsePath)
    .addOption(new Option("--format <format>", "do not recognise the format of each record").choices(FORMAT_CHOICES))
    .option("--model <model>", "the model of records that name none")
    .option("--no-redact", "keep secrets as the log has them; they are taken out otherwise")
    .option("--force", "replace cassettes that exist")
    .option("--json", "print one JSON document")
    .action(async (logs: string[], options: ImportCommandOptions) => {
      const { importLogs } = await import("../import/import.js");
      await importLogs(logs, options, io);
    });
}
