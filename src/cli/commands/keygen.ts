// `cassette keygen`: a new key to sign cassettes with.

import type { Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { runs } from "../terminal/command-action.js";
import { parsePath } from "../options/values.js";

export function keygenCommand(program: Command, io: CommandIo): void {
  program
    .command("keygen")
    .description("write a new Ed25519 private key, and print its trust file")
    .option("--out <name>", "path of the private key without .pem; it must not exist", parsePath, "cassette-key")
    .option("--json", "print one JSON document")
    .action(runs(async () => (await import("../sign/keygen.js")).keygen, io));
}
