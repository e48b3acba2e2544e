// The command line as one function. Commands are declared here and load what they do only when they are run, so that
// `cassette --version` stays quick.

import { Command, CommanderError } from "commander";
import { acceptedCommand } from "./commands/accepted.js";
import { attestCommand } from "./commands/attest.js";
import { checkCommand } from "./commands/check.js";
import { blessCommand } from "./commands/bless.js";
import { demoCommand } from "./commands/demo.js";
import { diffCommand } from "./commands/diff.js";
import { doctorCommand } from "./commands/doctor.js";
import { driftCommand } from "./commands/drift.js";
import { exportCommand } from "./commands/export.js";
import { forkCommand } from "./commands/fork.js";
import { importCommand } from "./commands/import.js";
import { keygenCommand } from "./commands/keygen.js";
import { lockCommand } from "./commands/lock.js";
import { migrateCommand } from "./commands/migrate.js";
import { mutateCommand } from "./commands/mutate.js";
import { pruneCommand } from "./commands/prune.js";
import { recordCommand } from "./commands/record.js";
import { replayCommand } from "./commands/replay.js";
import { scanCommand } from "./commands/scan.js";
import { serveCommand } from "./commands/serve.js";
import { shrinkCommand } from "./commands/shrink.js";
import { showCommand } from "./commands/show.js";
import { signCommand } from "./commands/sign.js";
import { statsCommand } from "./commands/stats.js";
import { stepCheckCommand } from "./commands/step-check.js";
import { verifyCommand } from "./commands/verify.js";
import { whyCommand } from "./commands/why.js";
import type { Failure } from "./errors.js";
import { EXIT } from "./exit-codes.js";
import type { CliIo, CommandIo } from "./io.js";
import { VERSION } from "./version.js";

/** Runs one command line, without the name of the program, and gives its exit code. Never throws. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram({ ...io, exit: (code) => (exitCode = code) });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return settleUsage(error, program, argv, io);
    const { toFailure } = await import("./errors.js");
    return report(toFailure(error), program, argv, io);
  }
}

function createProgram(io: CommandIo): Command {
  const program = new Command("cassette")
    .description(
      "Verify, lock, sign, show, count, compare, import, export, record, replay and serve cassettes: recorded runs of LLM agents.",
    )
    .version(VERSION)
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .exitOverride()
    // What commander has to say about wrong usage is printed below, in the shape of every other error.
    .configureOutput({ writeOut: io.stdout, writeErr: io.stderr, outputError: () => undefined })
    .addHelpText(
      "after",
      "\nExit codes: 0 same or done, 1 drift or incomplete, 2 could not run or nothing to compare, 3 integrity failure.",
    );
  demoCommand(program, io);
  verifyCommand(program, io);
  lockCommand(program, io);
  keygenCommand(program, io);
  signCommand(program, io);
  attestCommand(program, io);
  showCommand(program, io);
  statsCommand(program, io);
  diffCommand(program, io);
  checkCommand(program, io);
  driftCommand(program, io);
  blessCommand(program, io);
  acceptedCommand(program, io);
  stepCheckCommand(program, io);
  shrinkCommand(program, io);
  importCommand(program, io);
  exportCommand(program, io);
  recordCommand(program, io);
  replayCommand(program, io);
  forkCommand(program, io);
  whyCommand(program, io);
  pruneCommand(program, io);
  migrateCommand(program, io);
  doctorCommand(program, io);
  mutateCommand(program, io);
  scanCommand(program, io);
  serveCommand(program, io);
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
  const { toJsonError, writeFailure, writeJson } = await import("./output.js");
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
