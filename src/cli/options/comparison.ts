// The options that decide what counts as a difference between two runs, the same for every command that compares.

import { Option, type Command } from "commander";
import type { CallOrder } from "../../cassette/index.js";
import type { FileFlag } from "./tolerances.js";
import { parsePath, ORDER_CHOICES } from "./values.js";

export interface ComparisonFlags {
  ignore: string[];
  order: CallOrder;
  readOnly: string[];
  content?: boolean;
  tolerances?: FileFlag;
  json?: boolean;
}

export function comparisonOptions(command: Command): Command {
  const order = "how strictly the order of calls is compared, from the first run to the second";
  command
    .option("--ignore <pointer>", "ignore the argument at /arg/path, or tool:/arg/path; repeatable", collect, [])
    .addOption(new Option("--order <order>", order).choices(ORDER_CHOICES).default("strict"))
    .option("--read-only <tool>", "let calls of this tool (* matches any text) change places; repeatable", collect, [])
    .option("--content", "also compare the texts of the assistant");
  return toleranceOptions(command);
}

export function toleranceOptions(command: Command): Command {
  const file = "file that says which arguments count as equal (default: cassette.tolerances.json, if it exists)";
  return command.option("--tolerances <file>", file, parsePath).option("--no-tolerances", "use no tolerances file");
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}
