// Runs one child process, which inherits the terminal, gets our signals, and ends with an exit code as a shell reports it. Signals are
// held back while the temporary folder of a command exists, so that none ends the process without removing it.

import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { isatty } from "node:tty";
import { MAX_TIMER_MS } from "../../core/index.js";
import { CliError } from "../errors.js";

/** The signals that end a command. A child gets them before this process ends. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface HeldSignals {
  /** The first signal. */
  readonly caught: () => NodeJS.Signals | undefined;
  /** Lets signals end the process again. */
  readonly release: () => void;
}

export function holdSignals(): HeldSignals {
  let caught: NodeJS.Signals | undefined;
  const hold = (signal: NodeJS.Signals): void => void (caught ??= signal);
  for (const signal of ENDING_SIGNALS) process.on(signal, hold);
  return {
    caught: () => caught,
    release: () => {
      for (const signal of ENDING_SIGNALS) process.off(signal, hold);
    },
  };
}

/** The exit code of a command that a signal ended. */
export function toExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

export interface Quietly {
  timeoutMs: number;
  /** Gets the id of the child, which leads a session of its own. Not called on Windows. */
  onStart?: (pid: number) => void;
}

interface ChildOptions {
  cwd: string;
  env: Record<string, string | undefined>;
  /** Keeps stdout free for a JSON document. */
  stdoutToStderr: boolean;
  /** Without a terminal and output. The timeout kills the child with all its children. */
  quietly?: Quietly;
  /** The child's stdin is our terminal, which sends Ctrl-C to the child itself. Default: whether stdin is a terminal. */
  sharesTerminal?: boolean;
}

export interface ChildEnd {
  /** 128 + the signal's number, if a signal ended it. */
  exitCode: number;
  signal: NodeJS.Signals | null;
  /** The timeout killed it. */
  isTimedOut: boolean;
}

const STDIN = 0;
const STDERR = 2;
/** Runs `command` to its end. Throws `command-not-started`. */
export function runChild(command: readonly string[], options: ChildOptions): Promise<ChildEnd> {
  const { quietly, sharesTerminal = quietly === undefined && isatty(STDIN) } = options;
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(notStarted(program, error));
    let child: ChildProcess;
    try {
      child = spawn(program, args, toSpawnOptions(options));
    } catch (error) {
      fail(error);
      return;
    }
    if (child.pid !== undefined && process.platform !== "win32") quietly?.onStart?.(child.pid);
    let isTimedOut = false;
    const forward = (signal: NodeJS.Signals): void => {
      if (quietly !== undefined) killGroup(child, signal);
      else if (signal !== "SIGINT" || !sharesTerminal) child.kill(signal);
    };
    const timeOut = (): void => {
      isTimedOut = true;
      killGroup(child, "SIGKILL");
    };
    const timer = quietly === undefined ? undefined : setTimeout(timeOut, Math.min(quietly.timeoutMs, MAX_TIMER_MS));
    for (const signal of ENDING_SIGNALS) process.on(signal, forward);
    const end = (act: () => void): void => {
      clearTimeout(timer);
      for (const signal of ENDING_SIGNALS) process.off(signal, forward);
      // What it left behind would slow the next run, or change its files. On Windows its group is unknown now.
      if (quietly !== undefined && process.platform !== "win32") killGroup(child, "SIGKILL");
      act();
    };
    child.on("error", (error) => end(() => fail(error)));
    child.on("close", (code, signal) => end(() => resolve({ exitCode: exitCodeOf(code, signal), signal, isTimedOut })));
  });
}

/** A quiet child gets its own process group, so that it can be killed with its children. */
function toSpawnOptions({ cwd, env, stdoutToStderr, quietly }: ChildOptions): SpawnOptions {
  if (quietly !== undefined) return { cwd, env, stdio: "ignore", detached: process.platform !== "win32" };
  return { cwd, env, stdio: ["inherit", stdoutToStderr ? STDERR : "inherit", "inherit"] };
}

/** On Windows a child's children survive a kill, so `taskkill` does it. */
function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (process.platform === "win32") {
    spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"], { stdio: "ignore" }).on("error", () => child.kill());
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has just ended by itself.
  }
}

function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return signal === null ? (code ?? 0) : toExitCode(signal);
}

function notStarted(program: string, error: unknown): CliError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code === "ENOENT" ? "command not found" : message;
  const hint = "Give a program on the PATH, and its arguments, after --.";
  return new CliError("command-not-started", `${JSON.stringify(program)} could not be started: ${why}`, hint);
}

/** Makes a private temporary folder. Throws `no-temporary-folder`. */
export async function makeFolder(prefix: string): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), prefix));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const hint = "Set TMPDIR (TEMP on Windows) to an existing folder that can be written to.";
    const what = `cannot make a temporary folder in ${tmpdir()}: ${code ?? message}`;
    throw new CliError("no-temporary-folder", what, hint);
  }
}
