// The command line as one function. The command that was asked for is the only one whose declaration is loaded, and a declaration
// loads what it does only when it is run.

import { Command, CommanderError } from "commander";
import type { Failure } from "./errors.js";
import { EXIT } from "./exit-codes.js";
import type { CliIo, CommandIo } from "./terminal/io.js";
import { refuseRepeated } from "./options/once.js";
import { VERSION, VERSION_FLAGS } from "./version.js";

type Declare = (program: Command, io: CommandIo) => void;

/** Every command in the order of the help. */
const COMMANDS: ReadonlyMap<string, () => Promise<Declare>> = new Map([
  ["demo", async () => (await import("./commands/demo.js")).demoCommand],
  ["verify", async () => (await import("./commands/verify.js")).verifyCommand],
  ["lock", async () => (await import("./commands/lock.js")).lockCommand],
  ["keygen", async () => (await import("./commands/keygen.js")).keygenCommand],
  ["sign", async () => (await import("./commands/sign.js")).signCommand],
  ["attest", async () => (await import("./commands/attest.js")).attestCommand],
  ["show", async () => (await import("./commands/show.js")).showCommand],
  ["stats", async () => (await import("./commands/stats.js")).statsCommand],
  ["diff", async () => (await import("./commands/diff.js")).diffCommand],
  ["check", async () => (await import("./commands/check.js")).checkCommand],
  ["drift", async () => (await import("./commands/drift.js")).driftCommand],
  ["bless", async () => (await import("./commands/bless.js")).blessCommand],
  ["accepted", async () => (await import("./commands/accepted.js")).acceptedCommand],
  ["step-check", async () => (await import("./commands/step-check.js")).stepCheckCommand],
  ["shrink", async () => (await import("./commands/shrink.js")).shrinkCommand],
  ["import", async () => (await import("./commands/import.js")).importCommand],
  ["export", async () => (await import("./commands/export.js")).exportCommand],
  ["record", async () => (await import("./commands/record.js")).recordCommand],
  ["replay", async () => (await import("./commands/replay.js")).replayCommand],
  ["fork", async () => (await import("./commands/fork.js")).forkCommand],
  ["why", async () => (await import("./commands/why.js")).whyCommand],
  ["prune", async () => (await import("./commands/prune.js")).pruneCommand],
  ["migrate", async () => (await import("./commands/migrate.js")).migrateCommand],
  ["doctor", async () => (await import("./commands/doctor.js")).doctorCommand],
  ["mutate", async () => (await import("./commands/mutate.js")).mutateCommand],
  ["scan", async () => (await import("./commands/scan.js")).scanCommand],
  ["serve", async () => (await import("./commands/serve.js")).serveCommand],
]);

/** Runs one command line, without the name of the program, and gives its exit code. Never throws. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = await createProgram(argv[0], { ...io, exit: (code) => (exitCode = code) });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return settleUsage(error, program, argv, io);
    const { toFailure } = await import("./errors.js");
    return report(toFailure(error), program, argv, io);
  }
}

/** With the command of that name alone; with all of them for any other word, for then the help or what is near may be asked for. */
export async function createProgram(word: string | undefined, io: CommandIo): Promise<Command> {
  const program = new Command("cassette")
    .description(
      "Verify, lock, sign, show, count, compare, import, export, record, replay and serve cassettes: recorded runs of LLM agents.",
    )
    .version(VERSION, VERSION_FLAGS.join(", "))
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .exitOverride()
    // What commander has to say about wrong usage is printed below, in the shape of every other error.
    .configureOutput({ writeOut: io.stdout, writeErr: io.stderr, outputError: () => undefined })
    .addHelpText(
      "after",
      "\nExit codes: 0 same or done, 1 drift or incomplete, 2 could not run or nothing to compare, 3 integrity failure.",
    );
  const asked = COMMANDS.get(word ?? "");
  const declared = await Promise.all((asked === undefined ? [...COMMANDS.values()] : [asked]).map((load) => load()));
  for (const declare of declared) declare(program, io);
  refuseRepeated(program.commands);
  return program;
}

/** Help and version end as a `CommanderError` too: 0 when asked for, 2 when there was no command. */
async function settleUsage(
  error: CommanderError,
  program: Command,
  argv: readonly string[],
  io: CliIo,
): Promise<number> {
  if (error.exitCode === 0) return EXIT.ok;
  if (error.code === "commander.help") return EXIT.failed;
  const [message = "", ...suggestion] = error.message.replace(/^error: /, "").split("\n");
  const command = commandName(program, argv);
  const hint = suggestion.join(" ").replace(/^\((.*)\)$/, "$1");
  const help = `Run cassette ${command === null ? "" : `${command} `}--help to see what there is.`;
  const failure: Failure = { exitCode: EXIT.failed, code: "usage", message, hint: hint === "" ? help : hint };
  return report(failure, program, argv, io);
}

async function report(failure: Failure, program: Command, argv: readonly string[], io: CliIo): Promise<number> {
  const { toJsonError, writeFailure, writeJson } = await import("./terminal/output.js");
  if (wantsJson(argv)) {
    writeJson(io, commandName(program, argv), failure.exitCode, { error: toJsonError(failure) });
  } else {
    writeFailure(io, failure);
  }
  return failure.exitCode;
}

function commandName(program: Command, argv: readonly string[]): string | null {
  const word = argv.find((argument) => !argument.startsWith("-"));
  return program.commands.some((command) => command.name() === word) ? (word ?? null) : null;
}

/** True when --json is one of our own arguments, not one of the command that `record` or `replay` is to run. */
function wantsJson(argv: readonly string[]): boolean {
  const isRunner = (argv[0] === "record" && argv[1] !== "--proxy") || argv[0] === "replay";
  const end = argv.findIndex((argument, at) => argument === "--" || (isRunner && at > 0 && !argument.startsWith("-")));
  return (end < 0 ? argv : argv.slice(0, end)).includes("--json");
}
