// `cassette serve`: replay for clients that speak a vendor's wire.

import { InvalidArgumentError, Option, type Command } from "commander";
import type { CommandIo } from "../terminal/io.js";
import { collectPaths } from "../options/path.js";
import { DEFAULT_PORT, parsePort } from "../options/port.js";
import type { ServeOptions } from "../serve/serve.js";
import { splitCommand } from "../terminal/split-command.js";

/** Declares `cassette serve`; what it does is loaded when it runs. */
export function serveCommand(program: Command, io: CommandIo): void {
  program
    .command("serve")
    .description("answer the OpenAI, Anthropic and Ollama wires from cassettes, strictly, until stopped")
    .usage("[options] <path...> [-- <command...>]")
    .argument("<path...>", "cassette files or folders; after --, a command to run against them", collectPaths)
    .option(
      "--port <n>",
      `port to listen on; 0 takes any that is free (default: ${DEFAULT_PORT}; 0 with a command)`,
      parsePort,
    )
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--once", "stop when every turn was used, or at the first request that was not answered")
    .addOption(
      new Option("--streaming <how>", "streamed replies: in even pieces, cut as recorded, or that in its recorded time")
        .choices(["whole", "chunked", "timed"])
        .default("chunked"),
    )
    .option("--speed <x>", "with --streaming timed: how many times faster than recorded (default: 1)", parseSpeed)
    .option("--allow-redacted", "give out tool calls whose arguments hold a placeholder for a secret")
    .option("--allow-unused", "report recorded turns that were not used, and do not fail because of them")
    .option("--json", "print one JSON document when stopped")
    .action(async (given: string[], options: Omit<ServeOptions, "port" | "command"> & { port?: number }) => {
      if (options.speed !== undefined && options.streaming !== "timed") {
        const { CliError } = await import("../errors.js");
        throw new CliError("usage", "--speed was given without --streaming timed", "Only a timed replay waits.");
      }
      const { serve } = await import("../serve/serve.js");
      const { paths, command } = await readCommand(given, program);
      const { port = command === undefined ? DEFAULT_PORT : 0 } = options;
      await serve(paths, { ...options, port, ...(command === undefined ? {} : { command }) }, io);
    });
}

/** An argument of `--speed`. Throws what commander reports as wrong usage. */
function parseSpeed(text: string): number {
  const speed = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && Number.isFinite(speed) && speed > 0) return speed;
  throw new InvalidArgumentError("Give a number above 0: 2 is twice as fast.");
}

async function readCommand(
  given: readonly string[],
  program: Command,
): Promise<{ paths: string[]; command?: string[] }> {
  const { before: paths, command } = splitCommand(given, program);
  if (command === undefined) return { paths };
  if (command.length > 0 && paths.length > 0) return { paths, command };
  const { CliError } = await import("../errors.js");
  const hint = "Name cassettes before --, and a program with its arguments after it.";
  throw new CliError("usage", `${paths.length === 0 ? "no cassette" : "no command"} was given`, hint);
}
