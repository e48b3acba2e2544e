// A command line that ends in another command: what stands before `--`, and what after.

import type { Command } from "commander";

/** commander gives both in one list. `command` is undefined where there is no `--`. */
export function splitCommand(
  given: readonly string[],
  program: Command,
): { before: string[]; command: string[] | undefined } {
  const { rawArgs } = program as unknown as { rawArgs: readonly string[] };
  const at = rawArgs.indexOf("--");
  if (at < 0) return { before: [...given], command: undefined };
  const length = given.length - (rawArgs.length - at - 1);
  return { before: given.slice(0, length), command: given.slice(length) };
}
