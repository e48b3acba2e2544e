// One child process: inherits the terminal, gets our signals, and ends with an exit code as a shell would report it.

import { spawn, type ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { CliError } from "../errors.js";

/** Where and how a child runs. */
export interface ChildOptions {
  cwd: string;
  env: Record<string, string | undefined>;
  /** Keeps stdout free for a document of our own. */
  stdoutToStderr: boolean;
}

/** How a child ended. */
export interface ChildEnd {
  /** 128 + the signal's number, if a signal ended it. */
  exitCode: number;
  signal: NodeJS.Signals | null;
}

const FORWARDED = ["SIGINT", "SIGTERM"] as const;
const STDERR = 2;

/** Runs `command` to its end. Throws `command-not-started`. */
export function runChild(command: readonly string[], { cwd, env, stdoutToStderr }: ChildOptions): Promise<ChildEnd> {
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
    const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    const settle = (act: () => void): void => {
      for (const signal of FORWARDED) process.off(signal, forward);
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
