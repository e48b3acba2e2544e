// `cassette doctor`: checks the environment and the recordings.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { parsePath } from "../options/values.js";

export function doctorCommand(program: Command, io: CommandIo): void {
  program
    .command("doctor")
    .description("check environment, keys, cassettes, lock and trust file")
    .argument("[folder]", "folder of the cassettes", parsePath, ".")
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../doctor/doctor.js")).doctor, io));
}
