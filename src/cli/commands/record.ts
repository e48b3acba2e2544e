// `cassette record`: run a command that records, or stand between any client and its vendor.

import { Option, type Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { parsePath } from "../options/path.js";
import { DEFAULT_PORT, parsePort } from "../options/port.js";

/** The flags of `cassette record`. */
export interface RecordOptions {
  proxy?: boolean;
  target?: string;
  out?: string;
  port?: number;
  refresh?: boolean;
  fromFirstMiss?: boolean;
  redact: boolean;
  json?: boolean;
  streams: "boundaries" | "times" | "off";
}

/** Declares `cassette record`; what it does is loaded when it runs. */
export function recordCommand(program: Command, io: CommandIo): void {
  const record: Command = program
    .command("record")
    .description("run a command with CASSETTE_MODE=record, and say what it recorded; or record through a proxy")
    .usage("[options] -- <command...>\n       cassette record --proxy --target <url> --out <file> [-- <command...>]")
    .argument("[command...]", "the command and its arguments")
    .passThroughOptions()
    .option("--refresh", "replace recordings that exist (CASSETTE_MODE=refresh)")
    .option("--from-first-miss", "keep what still replays of a recording, and record the rest again")
    .option("--proxy", "forward a client's requests to --target, and record them until stopped or the command ends")
    .option("--target <url>", "with --proxy: the vendor's base URL")
    .option("--out <file>", "with --proxy: the cassette to write, or a folder for one of each conversation", parsePath)
    .option(
      "--port <n>",
      `with --proxy: port to listen on; 0 takes any that is free (default: ${DEFAULT_PORT}; 0 with a command)`,
      parsePort,
    )
    .option("--no-redact", "with --proxy: keep secrets as they are")
    .addOption(
      new Option("--streams <what>", "with --proxy: keep where streamed answers were cut, that and when, or nothing")
        .choices(["boundaries", "times", "off"])
        .default("boundaries"),
    )
    .option("--json", "print one JSON document; what the command prints goes to stderr");
  record.action(async (command: string[], options: RecordOptions) => {
    const { proxy, target, out, refresh = false, fromFirstMiss = false, redact, json = false } = options;
    const { streams } = options;
    if (proxy === true) {
      if (target === undefined) record.error("error: required option '--target <url>' not specified");
      if (out === undefined) record.error("error: required option '--out <file>' not specified");
      const { recordProxy } = await import("../proxy/proxy.js");
      const kept = streams === "off" ? false : streams;
      const { port = command.length === 0 ? DEFAULT_PORT : 0 } = options;
      const run = command.length === 0 ? {} : { command };
      return recordProxy({ target, out, port, refresh, redact, json, streams: kept, ...run }, io);
    }
    if (record.getOptionValueSource("streams") === "cli") record.error("error: --streams belongs to --proxy");
    if (target !== undefined || out !== undefined) record.error("error: --target and --out belong to --proxy");
    if (!redact) record.error("error: --no-redact belongs to --proxy; a test says it with redact: false");
    if (command.length === 0) record.error("error: missing required argument 'command'");
    if (refresh && fromFirstMiss) record.error("error: --refresh and --from-first-miss exclude each other");
    const mode = refresh ? "refresh" : fromFirstMiss ? "from-first-miss" : "record";
    const { runWithCassettes } = await import("../child/run.js");
    await runWithCassettes({ verb: "record", mode, command, json }, io);
  });
}
