// `cassette why`: would a cassette answer a request, and if not, why?

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { parsePath } from "../options/path.js";
import type { WhyOptions } from "../why/why.js";

/** Declares `cassette why`; what it does is loaded when it runs. */
export function whyCommand(program: Command, io: CommandIo): void {
  program
    .command("why")
    .description("say which recorded turn answers a request, or what keeps each from it")
    .argument("<file>", "a cassette file", parsePath)
    .requiredOption(
      "--request <file>",
      "JSON: { messages, tools?, settings? }, or the body of a request to a vendor; - reads stdin",
      parsePath,
    )
    .option("--wire <name>", "whose body it is: openai, anthropic or ollama; recognised unless given")
    .option("--json", "print one JSON document")
    .action(async (file: string, options: WhyOptions) => {
      const { why } = await import("../why/why.js");
      await why(file, options, io);
    });
}
