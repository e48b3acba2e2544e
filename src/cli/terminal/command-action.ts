// Shared parts of the command declarations: their actions, and a command line with another command after `--`.

import type { Command } from "commander";
import type { CommandIo } from "./io.js";

/** An action that loads the implementation when it runs, and calls it with the arguments and options of commander and `io`. */
export function runs(load: () => Promise<(...given: never[]) => Promise<void>>, io: CommandIo) {
  return async (...given: unknown[]): Promise<void> => {
    const run = (await load()) as (...given: unknown[]) => Promise<void>;
    // The last argument is the command itself.
    await run(...given.slice(0, -1), io);
  };
}

/** Splits at `--`, because commander has both parts in one list. `command` is undefined without `--`. */
export function splitCommand(
  given: readonly string[],
  program: Command,
): { before: string[]; command: string[] | undefined } {
  const { rawArgs } = program as unknown as { rawArgs: readonly string[] };
  const at = rawArgs.indexOf("--");
  if (at < 0) return { before: [...given], command: undefined };
  const length = given.length - (rawArgs.length - at - 1);
  // After an argument, commander passes `--` on.
  const before = given.slice(0, length).filter((text) => text !== "--");
  return { before, command: given.slice(length) };
}
