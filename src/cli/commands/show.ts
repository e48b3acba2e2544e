// `cassette show`: what was said and done, turn by turn, on the terminal or as a page.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { MAX_BYTES_HELP, parseMaxBytes } from "../options/max-bytes.js";
import { parsePath } from "../options/path.js";
import type { ShowOptions } from "../show/show.js";

/** Declares `cassette show`; what it does is loaded when it runs. */
export function showCommand(program: Command, io: CommandIo): void {
  program
    .command("show")
    .description("print a cassette turn by turn, or write it as an HTML page")
    .argument("<file>", "a cassette file; with --html also a bundle", parsePath)
    .option("--turn <n>", "this turn alone, counted from 0")
    .option("--full", "do not cut long texts")
    .option(
      "--html [out]",
      "write one self-contained HTML file, by default beside the cassette; put it last",
      parsePath,
    )
    .option("--force", "with --html: replace a file that exists")
    .option("--max-bytes <n>", MAX_BYTES_HELP, parseMaxBytes)
    .option("--json", "print one JSON document")
    .action(async (file: string, { html, ...options }: ShowOptions & { html?: string | true }) => {
      if (html !== undefined) {
        const { showPage } = await import("../show/page.js");
        return showPage(file, html, options, io);
      }
      const { show } = await import("../show/show.js");
      return show(file, options, io);
    });
}
