// Splits a command line with another command at `--`.

import type { Command } from "commander";

/** commander has both parts in one list. `command` is undefined without `--`. */
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
