// `cassette step-check`: compares the next turn of another model at each recorded prompt.

import { InvalidArgumentError, type Command } from "commander";
import type { Rate } from "../../core/index.js";
import { toleranceOptions } from "../options/comparison.js";
import { parsePath, parseUsd, wholeNumber } from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";

const parseCount = wholeNumber(1, 999_999);

export function stepCheckCommand(program: Command, io: CommandIo): void {
  const command = program
    .command("step-check")
    .description("compare another model's next turn at each recorded prompt")
    .argument("<path>", "cassette file or folder", parsePath)
    .option(
      "--provider <p>",
      "model to ask: VENDOR:MODEL (openai, responses, anthropic, gemini, bedrock, cohere, ollama) or module:./provider.mjs",
      parseProvider,
    )
    .option("--base-url <url>", "base URL of the vendor's API")
    .option("--key-env <name>", "variable that contains the key (default: OPENAI_API_KEY or ANTHROPIC_API_KEY)")
    .option("--record <out>", "keep the answers in this cassette or folder, and request only missing ones", parsePath)
    .option("--replay <out>", "compare the answers in this cassette or folder, and send no request", parsePath)
    .option("--tools <file>", "JSON list of the tools to offer where none are recorded", parsePath)
    .option("--max-cost <usd>", "make no call that could raise the total above this cost in USD", parseUsd)
    .option("--price <in,out>", "prices in USD per million input and output tokens, such as 2.5,10", parsePrice)
    .option(
      "--allow-unknown-cost",
      "with --max-cost and an unknown price: stop when the reported cost reaches the limit",
    )
    .option("--max-turns <n>", "check only this many turns", parseCount)
    .option("--concurrency <n>", "number of calls at once", parseCount, 4)
    .option("--timeout <seconds>", "time limit of each call", parseCount, 120)
    .option("--min-agreement <rate>", "share of the turns that must agree, from 0 to 1", parseRate, 1);
  toleranceOptions(command)
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../step-check/step-check.js")).stepCheckCassettes, io));
}

function parseProvider(text: string): string {
  if (/^[a-z][\w-]*:\S/.test(text)) return text;
  throw new InvalidArgumentError("Use VENDOR:MODEL, such as openai:gpt-4o, or module:./provider.mjs.");
}

function parsePrice(text: string): Rate {
  const [input, output] = /^(\d{1,6}(?:\.\d{1,6})?),(\d{1,6}(?:\.\d{1,6})?)$/.exec(text)?.slice(1).map(Number) ?? [];
  if (input !== undefined && output !== undefined) return { input, output };
  throw new InvalidArgumentError("Give two figures, such as 2.5,10.");
}

function parseRate(text: string): number {
  if (/^(0(\.\d+)?|1(\.0+)?)$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a number from 0 to 1, such as 0.9.");
}
