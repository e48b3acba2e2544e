// `cassette show`: a recording turn by turn, on the terminal or as a page.

import type { Command } from "commander";
import { maxBytesOption, parsePath } from "../options/values.js";
import type { ShowOptions } from "../show/show.js";
import type { CommandIo } from "../terminal/io.js";

export function showCommand(program: Command, io: CommandIo): void {
  program
    .command("show")
    .description("print a cassette turn by turn, or write it as an HTML page")
    .argument("<file>", "cassette file; with --html also a bundle", parsePath)
    .option("--turn <n>", "print only this turn, counted from 0")
    .option("--full", "do not cut long texts")
    .option(
      "--html [out]",
      "write one self-contained HTML file, next to the cassette unless named; put it last",
      parsePath,
    )
    .option("--force", "with --html: replace an existing file")
    .addOption(maxBytesOption())
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
