// One child process: inherits the terminal, gets our signals, and ends with an exit code as a shell would report it.

import { spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { CliError } from "../errors.js";

/** Where and how a child runs. */
export interface ChildOptions {
  cwd: string;
  env: Record<string, string | undefined>;
  /** Keeps stdout free for a document of our own. */
  stdoutToStderr: boolean;
  /** The child's stdin is our terminal, which sends its Ctrl-C to the child itself. Default: asked of the system. */
  sharesTerminal?: boolean;
}

/** How a child ended. */
export interface ChildEnd {
  /** 128 + the signal's number, if a signal ended it. */
  exitCode: number;
  signal: NodeJS.Signals | null;
}

/** The signals that end a command, and that a child must have heard of before we end. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const STDIN = 0;
const STDERR = 2;

/** Runs `command` to its end. Throws `command-not-started`. */
export function runChild(command: readonly string[], options: ChildOptions): Promise<ChildEnd> {
  const { cwd, env, stdoutToStderr, sharesTerminal = isatty(STDIN) } = options;
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(notStarted(program, error));
    let child: ChildProcess;
    try {
      child = spawn(program, args, { cwd, env, stdio: ["inherit", stdoutToStderr ? STDERR : "inherit", "inherit"] });
    } catch (error) {
      fail(error);
      return;
    }
    const forward = (signal: NodeJS.Signals): void => {
      if (signal !== "SIGINT" || !sharesTerminal) child.kill(signal);
    };
    for (const signal of ENDING_SIGNALS) process.on(signal, forward);
    const settle = (act: () => void): void => {
      for (const signal of ENDING_SIGNALS) process.off(signal, forward);
      act();
    };
    child.on("error", (error) => settle(() => fail(error)));
    child.on("close", (code, signal) => settle(() => resolve({ exitCode: exitCodeOf(code, signal), signal })));
  });
}

function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return signal === null ? (code ?? 0) : 128 + constants.signals[signal];
}

function notStarted(program: string, error: unknown): CliError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = code === "ENOENT" ? "command not found" : message;
  return new CliError(
    "command-not-started",
    `${JSON.stringify(program)} could not be started: ${why}`,
    "Give a program that is on the PATH, and its arguments, after --.",
  );
}
