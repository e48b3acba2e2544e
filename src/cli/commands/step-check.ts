// `cassette step-check`: what would another model do next, at each recorded prompt?

import { InvalidArgumentError, type Command } from "commander";
import type { Rate } from "../../core/index.js";
import type { CommandIo } from "../terminal/io.js";
import { parsePath } from "../options/path.js";
import type { StepCheckFlags } from "../step-check/step-check.js";

/** Declares `cassette step-check`; what it does is loaded when it runs. */
export function stepCheckCommand(program: Command, io: CommandIo): void {
  program
    .command("step-check")
    .description("ask another model for its next turn at each recorded prompt, and compare it with the recorded one")
    .argument("<path>", "a cassette file or a folder", parsePath)
    .option("--provider <p>", "openai:MODEL, anthropic:MODEL, ollama:MODEL or module:./provider.mjs", parseProvider)
    .option("--base-url <url>", "where the API of a vendor begins")
    .option("--key-env <name>", "the variable with the key (default: OPENAI_API_KEY, ANTHROPIC_API_KEY)")
    .option(
      "--record <out>",
      "keep the answers in this cassette or folder, and ask only for what is missing",
      parsePath,
    )
    .option("--replay <out>", "compare the answers kept there; nothing is asked", parsePath)
    .option("--tools <file>", "a JSON list of the tools to offer, where none are recorded", parsePath)
    .option("--max-cost <usd>", "make no call that could cost more than so many USD in all", parseUsd)
    .option("--price <in,out>", "the price in USD per million tokens, such as 2.5,10", parsePrice)
    .option("--allow-unknown-cost", "with --max-cost and an unknown price: stop once what was reported reaches it")
    .option("--max-turns <n>", "check the first so many turns", parseCount)
    .option("--concurrency <n>", "how many calls at once", parseCount, 4)
    .option("--timeout <seconds>", "for each call", parseCount, 120)
    .option("--min-agreement <rate>", "the part of the turns that must agree, 0 to 1", parseRate, 1)
    .option(
      "--tolerances <file>",
      "which arguments count as equal; default cassette.tolerances.json, if it is there",
      parsePath,
    )
    .option("--no-tolerances", "tolerate nothing")
    .option("--json", "print one JSON document")
    .action(async (path: string, options: StepCheckFlags) => {
      const { stepCheckCassettes } = await import("../step-check/step-check.js");
      await stepCheckCassettes(path, options, io);
    });
}

function parseProvider(text: string): string {
  if (/^[a-z][\w-]*:\S/.test(text)) return text;
  throw new InvalidArgumentError("Use openai:MODEL, anthropic:MODEL, ollama:MODEL or module:./provider.mjs.");
}

function parseUsd(text: string): number {
  if (/^\d{1,6}(\.\d{1,8})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("Give an amount above 0, such as 0.50.");
}

function parsePrice(text: string): Rate {
  const [input, output] = /^(\d{1,6}(?:\.\d{1,6})?),(\d{1,6}(?:\.\d{1,6})?)$/.exec(text)?.slice(1).map(Number) ?? [];
  if (input !== undefined && output !== undefined) return { input, output };
  throw new InvalidArgumentError("Give two figures, such as 2.5,10.");
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 1 to 999999.");
}

function parseRate(text: string): number {
  if (/^(0(\.\d+)?|1(\.0+)?)$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a number from 0 to 1, such as 0.9.");
}
