// `cassette demo`: the whole workflow on this machine, with real parts and no network.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { parsePath } from "../options/values.js";

export function demoCommand(program: Command, io: CommandIo): void {
  program
    .command("demo")
    .description("record, replay, tamper with and compare a small agent, offline")
    .option("--out <folder>", "folder for the cassettes and the report", parsePath, "playhead-demo")
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../demo/demo.js")).demo, io));
}
