// `cassette import`: cassettes made from the logs of other tools.

import { Option, type Command } from "commander";
import type { ImportFormat } from "../../cassette/index.js";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { collectPaths, filterFileOption, filterOption, parsePath } from "../options/values.js";

/** A copy of the cassette layer's IMPORT_FORMATS, so that a help text loads nothing; a test compares them. */
export const FORMAT_CHOICES: readonly ImportFormat[] = [
  "har",
  "vcr",
  "nock",
  "gemini-cli",
  "claude-code",
  "codex",
  "codex-exec",
  "copilot-cli",
  "pi",
  "aider",
  "atif",
  "swe-agent",
  "mini-swe-agent",
  "tau-bench",
  "tau2",
  "agentdojo",
  "otlp",
  "otel-spans",
  "langfuse",
  "inspect",
  "ai-sdk-messages",
  "anthropic-messages",
  "openai-messages",
];

export function importCommand(program: Command, io: CommandIo): void {
  program
    .command("import")
    .description("make cassettes from logs and recorded HTTP (JSON, JSONL, YAML)")
    .argument("<file...>", "log files, plain or gzipped", collectPaths)
    .requiredOption("--out <folder>", "folder for the cassettes, <model>/<task>[.<trial>].cassette.json", parsePath)
    .addOption(
      new Option("--format <format>", "format of every record (default: recognised record by record)").choices(
        FORMAT_CHOICES,
      ),
    )
    .option("--model <model>", "model of records that do not name one")
    .option(
      "--task <pattern>",
      "name of the runs, from {task}, {prompt}, {cwd}, {branch} or {path}; runs of one name get numbers",
    )
    .option("--no-redact", "keep secrets; without this option they are redacted")
    .addOption(filterOption())
    .addOption(filterFileOption())
    .option("--keep-errors", "keep turns of recorded HTTP that the vendor refused, for the retries of a client")
    .option("--force", "replace existing cassettes")
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../import/import.js")).importLogs, io));
}
