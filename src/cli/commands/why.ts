// `cassette why`: shows the recorded turn that answers a request, or why there is no such turn.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { filterFileOption, filterOption, parsePath } from "../options/values.js";

export function whyCommand(program: Command, io: CommandIo): void {
  program
    .command("why")
    .description("show which recorded turn answers a request, or why none does")
    .argument("<file>", "cassette file", parsePath)
    .requiredOption(
      "--request <file>",
      "JSON file with { messages, tools?, settings? } or a vendor's request body; - reads stdin",
      parsePath,
    )
    .option(
      "--wire <name>",
      "wire of the body: openai, responses, anthropic, gemini, bedrock, cohere or ollama (default: recognised)",
    )
    .addOption(filterOption())
    .addOption(filterFileOption())
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../why/why.js")).why, io));
}
