// The command line as one function. It loads only the declaration of the requested command, and the command loads its
// implementation when it runs.

import { Command, CommanderError } from "commander";
import type { Failure } from "./errors.js";
import { EXIT } from "./exit-codes.js";
import type { CliIo, CommandIo } from "./terminal/io.js";
import { refuseRepeated } from "./options/once.js";
import { VERSION, VERSION_FLAGS } from "./version.js";

type Load = () => Promise<(program: Command, io: CommandIo) => void>;

/** Every command by its group, in the order of the help. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  "Record and replay": {
    record: async () => (await import("./commands/record.js")).recordCommand,
    replay: async () => (await import("./commands/replay.js")).replayCommand,
    serve: async () => (await import("./commands/serve.js")).serveCommand,
    merge: async () => (await import("./commands/merge.js")).mergeCommand,
    fork: async () => (await import("./commands/fork.js")).forkCommand,
    agent: async () => (await import("./commands/agent.js")).agentCommand,
    demo: async () => (await import("./commands/demo.js")).demoCommand,
  },
  Compare: {
    diff: async () => (await import("./commands/diff.js")).diffCommand,
    drift: async () => (await import("./commands/drift.js")).driftCommand,
    bless: async () => (await import("./commands/bless.js")).blessCommand,
    accepted: async () => (await import("./commands/accepted.js")).acceptedCommand,
    check: async () => (await import("./commands/check.js")).checkCommand,
    "step-check": async () => (await import("./commands/step-check.js")).stepCheckCommand,
    shrink: async () => (await import("./commands/shrink.js")).shrinkCommand,
    mutate: async () => (await import("./commands/mutate.js")).mutateCommand,
    bench: async () => (await import("./commands/bench.js")).benchCommand,
  },
  Trust: {
    verify: async () => (await import("./commands/verify.js")).verifyCommand,
    lock: async () => (await import("./commands/lock.js")).lockCommand,
    keygen: async () => (await import("./commands/keygen.js")).keygenCommand,
    sign: async () => (await import("./commands/sign.js")).signCommand,
    attest: async () => (await import("./commands/attest.js")).attestCommand,
    scan: async () => (await import("./commands/scan.js")).scanCommand,
  },
  "Inspect and convert": {
    ui: async () => (await import("./commands/ui.js")).uiCommand,
    show: async () => (await import("./commands/show.js")).showCommand,
    stats: async () => (await import("./commands/stats.js")).statsCommand,
    why: async () => (await import("./commands/why.js")).whyCommand,
    doctor: async () => (await import("./commands/doctor.js")).doctorCommand,
    prune: async () => (await import("./commands/prune.js")).pruneCommand,
    import: async () => (await import("./commands/import.js")).importCommand,
    export: async () => (await import("./commands/export.js")).exportCommand,
    migrate: async () => (await import("./commands/migrate.js")).migrateCommand,
  },
};

/** Runs one command line, without the name of the program, and returns its exit code. Never throws. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = await createProgram(argv[0], { ...io, exit: (code) => (exitCode = code) });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return reportUsage(error, program, argv, io);
    const { toFailure } = await import("./errors.js");
    return report(toFailure(error), program, argv, io);
  }
}

/** Declares the command named `word` alone. For any other word it declares all, for the help and for suggestions. */
export async function createProgram(word: string | undefined, io: CommandIo): Promise<Command> {
  const program = new Command("cassette")
    .version(VERSION, VERSION_FLAGS.join(", "))
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .exitOverride()
    // `reportUsage` prints commander's errors in the shape of every other error.
    .configureOutput({ writeOut: io.stdout, writeErr: io.stderr, outputError: () => undefined });
  program.helpInformation = () => overview(program);
  const all = Object.entries(GROUPS).flatMap(([group, commands]) =>
    Object.entries(commands).map(([name, load]) => ({ group, name, load })),
  );
  const named = all.filter(({ name }) => name === word);
  const wanted = named.length === 0 ? all : named;
  const declarations = await Promise.all(wanted.map(({ load }) => load()));
  for (const [at, declare] of declarations.entries()) {
    declare(program, io);
    program.commands[at]?.helpGroup(wanted[at]?.group ?? "");
  }
  refuseRepeated(program.commands);
  return program;
}

/** The help of the program: every command on a line, on one screen. */
function overview({ commands }: Command): string {
  const lines = commands.flatMap((command, at) => {
    const group = command.helpGroup();
    const heading = group === commands[at - 1]?.helpGroup() ? [] : ["", group];
    return [...heading, `  ${command.name().padEnd(11)} ${command.description()}`];
  });
  return `${[
    "Usage: cassette <command> [options]     (cassette <command> --help, --version)",
    ...lines,
    "",
    "Exit codes: 0 done, 1 drift or incomplete, 2 could not run, 3 integrity failure.",
  ].join("\n")}\n`;
}

/** Help and version end as a `CommanderError` too: with 0 when requested, with 2 when there was no command. */
async function reportUsage(
  error: CommanderError,
  program: Command,
  argv: readonly string[],
  io: CliIo,
): Promise<number> {
  if (error.exitCode === 0) return EXIT.ok;
  if (error.code === "commander.help") return EXIT.failed;
  // A message of Commander may quote a value of several lines. One of `refuseRepeated` ends with a hint.
  const border = error.code === "commander.error" ? "\n" : /\n(?=\(Did you mean [^\n]*\)$)/;
  const [message = "", suggestion = ""] = error.message.replace(/^error: /, "").split(border);
  const command = commandName(program, argv);
  const hint = suggestion.replace(/^\((.*)\)$/, "$1");
  const help = `Run npx playhead ${command === null ? "" : `${command} `}--help for the usage.`;
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

/** First options of `record` that need no command. */
const WITHOUT_COMMAND = ["--proxy", "--adopt"];

/** True when --json is an argument of `cassette` itself, not of the command that `record` or `replay` runs. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  if (end >= 0) return argv.slice(0, end).includes("--json");
  const isRunner = (argv[0] === "record" && !WITHOUT_COMMAND.includes(argv[1] ?? "")) || argv[0] === "replay";
  const command = isRunner ? argv.findIndex((argument, at) => at > 0 && !argument.startsWith("-")) : -1;
  return (command < 0 ? argv : argv.slice(0, command)).includes("--json");
}
