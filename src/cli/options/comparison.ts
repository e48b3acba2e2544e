// The options that decide what counts as a difference between two runs, the same for every command that compares.

import { Option, type Command } from "commander";
import { ORDER_CHOICES } from "./choices.js";
import { parsePath } from "./path.js";

/** Adds `--ignore`, `--order`, `--read-only`, `--content`, `--tolerances` and `--no-tolerances`. */
export function comparisonOptions(command: Command): Command {
  const order = new Option(
    "--order <order>",
    "how strictly the order of calls is compared, from the first run to the second",
  );
  command
    .option("--ignore <pointer>", "ignore the argument at /arg/path, or tool:/arg/path; repeatable", collect, [])
    .addOption(order.choices(ORDER_CHOICES).default("strict"))
    .option("--read-only <tool>", "let calls of this tool (* matches any text) change places; repeatable", collect, [])
    .option("--content", "also compare the texts of the assistant");
  return toleranceOptions(command);
}

/** Adds `--tolerances` and `--no-tolerances`. */
export function toleranceOptions(command: Command): Command {
  return command
    .option(
      "--tolerances <file>",
      "file that says which arguments count as equal (default: cassette.tolerances.json, if it exists)",
      parsePath,
    )
    .option("--no-tolerances", "use no tolerances file");
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}
