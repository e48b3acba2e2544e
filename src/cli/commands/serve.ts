// `cassette serve`: replay for clients that speak a vendor's wire.

import { InvalidArgumentError, Option, type Command } from "commander";
import {
  DEFAULT_PORT,
  filterFileOption,
  filterOption,
  passOption,
  portOption,
  collectPaths,
  parsePath,
} from "../options/values.js";
import type { ServeOptions } from "../serve/serve.js";
import type { CommandIo } from "../terminal/io.js";
import { splitCommand } from "../terminal/command-action.js";

export function serveCommand(program: Command, io: CommandIo): void {
  program
    .command("serve")
    .description("answer requests to model vendors from cassettes")
    .usage("[options] <path...> [-- <command...>]\n       cassette serve --control [--port <n>]")
    .argument("[path...]", "cassette files or folders; after --, a command to run against them", collectPaths)
    .addOption(portOption())
    .option("--host <address>", "address to listen on", parseHost, "127.0.0.1")
    .option("--once", "stop when every turn was used, or at the first request without an answer")
    .addOption(
      new Option(
        "--streaming <how>",
        "how streamed replies are cut: evenly, as recorded, or as recorded with the times",
      )
        .choices(["whole", "chunked", "timed"])
        .default("chunked"),
    )
    .option("--speed <x>", "with --streaming timed: how many times faster than recorded (default: 1)", parseSpeed)
    .addOption(filterOption())
    .addOption(filterFileOption())
    .option("--allow-redacted", "serve tool calls whose arguments contain a placeholder for a secret")
    .option("--allow-unused", "report unused recorded turns and exchanges without failing")
    .addOption(passOption("a request that may stay unrecorded: it is answered with 404 and does not fail"))
    .option(
      "--faults <plan>",
      "answer turns with the faults of a plan in a JSON file, before their recorded answers",
      parsePath,
    )
    .option("--auto", "forward what no cassette answers to --target, and record it to --out; never in CI")
    .option("--target <url>", "with --auto: base URL of the vendor")
    .option("--out <file>", "with --auto: cassette to write, or a folder for one file per conversation", parsePath)
    .option("--control", "open and close cassettes by lines of JSON on stdin, for plugins of test runners")
    .option("--json", "print one JSON document when stopped")
    .action(async (given: string[] | undefined, { control, ...flags }: ServeFlags, serving: Command) => {
      if (control === true) return runControl(given, serving, io);
      await runServe(given, flags, program, io);
    });
}

/** Throws `usage` for other options, since the program gives those of each cassette. */
async function runControl(given: readonly string[] = [], serving: Command, io: CommandIo): Promise<void> {
  const own = ["port", "control"];
  const others = serving.options.filter((option) => !own.includes(option.attributeName()));
  const other = others.find((option) => serving.getOptionValueSource(option.attributeName()) === "cli");
  if (other !== undefined || given.length > 0) {
    const { usageError } = await import("../errors.js");
    const hint = "Give --port at most: the program on stdin names each cassette and its options.";
    throw usageError(`--control and ${other?.long ?? "cassettes"} were both given`, hint);
  }
  const { control } = await import("../control/control.js");
  await control({ port: (serving.getOptionValue("port") as number | undefined) ?? 0 }, io);
}

async function runServe(
  given: readonly string[] = [],
  { auto: isAuto = false, target, out, ...flags }: Omit<ServeFlags, "control">,
  program: Command,
  io: CommandIo,
): Promise<void> {
  const { CliError, usageError } = await import("../errors.js");
  if (isAuto && (target === undefined || out === undefined)) {
    throw usageError("--auto was given without --target or --out", "Give --auto --target <url> --out <folder>.");
  }
  if (!isAuto && (target !== undefined || out !== undefined)) {
    throw usageError("--target and --out were given without --auto", "Only --auto forwards and records.");
  }
  if (isAuto && flags.host !== "127.0.0.1") {
    throw usageError("--auto and --host were both given", "A server that forwards is for this machine only.");
  }
  if (flags.speed !== undefined && flags.streaming !== "timed") {
    throw new CliError("usage", "--speed was given without --streaming timed", "Only a timed replay waits.");
  }
  const options = target === undefined || out === undefined ? flags : { ...flags, auto: { target, out } };
  const { before: paths, command } = splitCommand(given, program);
  if (command === undefined && paths.length === 0) {
    throw usageError("no cassette was given", "Name cassette files or folders.");
  }
  if (command !== undefined && (command.length === 0 || paths.length === 0)) {
    const hint = "Name cassettes before --, and a program with its arguments after it.";
    throw new CliError("usage", `${paths.length === 0 ? "no cassette" : "no command"} was given`, hint);
  }
  const { serve } = await import("../serve/serve.js");
  if (command === undefined) await serve(paths, { port: DEFAULT_PORT, ...options }, io);
  else await serve(paths, { port: 0, ...options, command }, io);
}

type ServeFlags = Omit<ServeOptions, "port" | "command" | "auto"> & {
  port?: number;
  control?: boolean;
  auto?: boolean;
  target?: string;
  out?: string;
};

function parseHost(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("Give an address. An empty one would be every address of this machine.");
}

function parseSpeed(text: string): number {
  const speed = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && Number.isFinite(speed) && speed > 0) return speed;
  throw new InvalidArgumentError("Give a number above 0: 2 is twice as fast.");
}
