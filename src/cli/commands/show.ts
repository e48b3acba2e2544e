// `cassette show`: what was said and done, turn by turn.

import type { Command } from "commander";
import type { CommandIo } from "../io.js";
import { parsePath } from "../path.js";
import type { ShowOptions } from "../show/show.js";

/** Declares `cassette show`; what it does is loaded when it runs. */
export function showCommand(program: Command, io: CommandIo): void {
  program
    .command("show")
    .description("print a cassette turn by turn")
    .argument("<file>", "a cassette file", parsePath)
    .option("--turn <n>", "this turn alone, counted from 0")
    .option("--full", "do not cut long texts")
    .option("--json", "print one JSON document")
    .action(async (file: string, options: ShowOptions) => {
      const { show } = await import("../show/show.js");
      await show(file, options, io);
    });
}
