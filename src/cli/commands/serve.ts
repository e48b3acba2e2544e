// `cassette serve`: replay for clients that speak a vendor's wire.

import type { Command } from "commander";
import { CliError } from "../errors.js";
import type { CommandIo } from "../io.js";
import { collectPaths } from "../path.js";
import { DEFAULT_PORT, parsePort } from "../port.js";
import type { ServeOptions } from "../serve/serve.js";

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
    .option("--once", "stop when every turn was used, or at the first miss")
    .option("--allow-redacted", "give out tool calls whose arguments hold a placeholder for a secret")
    .option("--json", "print one JSON document when stopped")
    .action(async (given: string[], options: Omit<ServeOptions, "port" | "command"> & { port?: number }) => {
      const { serve } = await import("../serve/serve.js");
      const { paths, command } = splitCommand(given, program);
      const { port = command === undefined ? DEFAULT_PORT : 0 } = options;
      await serve(paths, { ...options, port, ...(command === undefined ? {} : { command }) }, io);
    });
}

/** What stood after `--` is a command; commander gives it with the paths. */
function splitCommand(given: readonly string[], program: Command): { paths: string[]; command?: string[] } {
  const { rawArgs } = program as unknown as { rawArgs: readonly string[] };
  const at = rawArgs.indexOf("--");
  if (at < 0) return { paths: [...given] };
  const length = rawArgs.length - at - 1;
  const [paths, command] = [given.slice(0, given.length - length), given.slice(given.length - length)];
  if (length > 0 && paths.length > 0) return { paths, command };
  const hint = "Name cassettes before --, and a program with its arguments after it.";
  throw new CliError("usage", `${paths.length === 0 ? "no cassette" : "no command"} was given`, hint);
}
