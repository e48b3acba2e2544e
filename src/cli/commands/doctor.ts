// `cassette doctor`: is everything as it should be, here?

import type { Command } from "commander";
import type { DoctorOptions } from "../doctor/doctor.js";
import type { CommandIo } from "../terminal/io.js";
import { parsePath } from "../options/path.js";

/** Declares `cassette doctor`; what it does is loaded when it runs. */
export function doctorCommand(program: Command, io: CommandIo): void {
  program
    .command("doctor")
    .description("check the environment, keys, cassettes, lock and trust list; changes nothing")
    .argument("[folder]", "where the cassettes are", parsePath, ".")
    .option("--json", "print one JSON document")
    .action(async (folder: string, options: DoctorOptions) => {
      const { doctor } = await import("../doctor/doctor.js");
      await doctor(folder, options, io);
    });
}
