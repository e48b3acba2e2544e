// `cassette ui`: a local page over a folder of recordings and reports.

import { Option, type Command } from "commander";
import { parsePath, wholeNumber } from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";

export function uiCommand(program: Command, io: CommandIo): void {
  program
    .command("ui")
    .description("show a folder of cassettes and reports as a local page, live")
    .argument("[folder]", "folder of cassettes and reports", parsePath, ".")
    .addOption(
      new Option("--port <n>", "port to listen on; 0 chooses a free one").argParser(wholeNumber(0, 65_535)).default(0),
    )
    .action(runs(async () => (await import("../ui/ui.js")).ui, io));
}
