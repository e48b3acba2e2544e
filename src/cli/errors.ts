// The command line's own error, and the one place where any thrown error becomes an exit code and words.

import { CassetteError } from "../cassette/index.js";
import { AgentError, defined } from "../core/index.js";
import type { HarnessError } from "../harness/index.js";
import { EXIT, exitCodeOf, type ExitCode } from "./exit-codes.js";

/** Closed; tests and scripts rely on the words. */
export type CliErrorCode =
  | "usage"
  | "nothing-found"
  | "nothing-to-compare"
  | "log-not-found"
  | "log-too-large"
  | "log-unreadable"
  | "receipts-unreadable"
  /** Two records of one import have the same path, or a folder contains other files. */
  | "path-taken"
  | "path-outside"
  /** The request of `why` is missing, too large or not JSON. */
  | "request-unreadable"
  /** A ledger of `prune` is missing, empty or damaged, lacks a shard, or belongs to other cassettes. */
  | "ledger-unreadable"
  | "command-not-started"
  | "no-cassette-used"
  /** Two processes of one command recorded the same file. */
  | "recorded-twice"
  /** The command of `mutate` fails without any change, or that of `bench` with its cassette, so nothing else was run. */
  | "baseline-failed"
  | "suite-records"
  /** No mutant could be made of the cassettes that the command loads, or the command loaded none of the mutants. */
  | "nothing-to-mutate"
  | "mutant-unknown"
  | "cassette-changed"
  /** The report of `mutate` or `drift` exists already, is not such a report, is of another run, or cannot be written. */
  | "report-unusable"
  | "no-temporary-folder"
  | "key-not-written"
  | "export-not-written"
  | "page-not-written"
  | "key-unreadable"
  | "lock-in-ci"
  | "lock-not-written"
  | "envelope-not-written"
  | "bless-in-ci"
  /** Another process of this command writes into the same folder. */
  | "bless-running"
  | "record-running"
  /** The recording to accept is of a failed run, or does not say that the run succeeded. */
  | "run-failed"
  | "acceptance-not-written"
  /** The module of `step-check --provider` cannot be loaded, or does not export a provider. */
  | "provider-unclear"
  | "key-missing"
  | "live-in-ci"
  | "answers-not-kept"
  | "tools-unreadable"
  /** The plan of `serve --faults` is missing, too large or not a plan. */
  | "faults-unreadable"
  | "thread-died"
  | "cannot-listen"
  /** With `verify --independent`: the second implementation computes another result. Exits 3, as any refusal does. */
  | "independent-mismatch";

/** A failure that belongs to no layer below. The exit code is 2, except for `independent-mismatch`. */
export class CliError extends Error {
  readonly code: CliErrorCode;
  readonly hint: string;
  readonly file: string | undefined;
  /** The JSON pointer of the place in the file. */
  readonly pointer: string | undefined;

  constructor(code: CliErrorCode, message: string, hint: string, file?: string, pointer?: string) {
    super(message);
    this.name = "CliError";
    this.code = code;
    this.hint = hint;
    this.file = file;
    this.pointer = pointer === "" ? undefined : pointer;
  }
}

export function usageError(message: string, hint: string): CliError {
  return new CliError("usage", message, hint);
}

/** The error for a path that leads to no cassette. `work` is what was not done, such as "checked". */
export function noCassettesIn(path: string, work?: string): CliError {
  const message = `${path} contains no *.cassette.json file${work === undefined ? "" : `, so nothing was ${work}`}`;
  return new CliError("nothing-found", message, "Check the path.", path);
}

export interface Failure {
  exitCode: ExitCode;
  code: string;
  message: string;
  file?: string;
  pointer?: string;
  hint?: string;
}

/** Converts any thrown value. `file` counts if the error itself names none. */
export function toFailure(error: unknown, file?: string): Failure {
  const failure = recognise(error);
  failure.hint ??= "Check that this is the right file, and that it can be read and written.";
  if (file !== undefined) failure.file ??= file;
  return failure;
}

/** The exit code of a command that goes on after a failure: 3 if a file was refused, else 2 if one failed. */
export function exitCodeForAll(failures: readonly Failure[]): ExitCode {
  if (failures.some(({ exitCode }) => exitCode === EXIT.integrity)) return EXIT.integrity;
  return failures.length > 0 ? EXIT.failed : EXIT.ok;
}

function recognise(error: unknown): Failure {
  if (error instanceof CassetteError) {
    const { code, summary: message, file, hint } = error;
    const pointer = error.pointer === "" ? undefined : error.pointer;
    return { exitCode: exitCodeOf(code), code, message, ...defined({ file, pointer, hint }) };
  }
  if (error instanceof CliError) {
    const { code, message, file, pointer, hint } = error;
    const exitCode = code === "independent-mismatch" ? EXIT.integrity : EXIT.failed;
    return { exitCode, code, message, hint, ...defined({ file, pointer }) };
  }
  if (isHarnessError(error)) {
    const { code, hint } = error;
    return { exitCode: EXIT.failed, code, message: withoutHint(error.message, hint), ...defined({ hint }) };
  }
  if (error instanceof AgentError) {
    const { code, message, hint } = error;
    return { exitCode: EXIT.failed, code, message, ...defined({ hint }) };
  }
  return {
    exitCode: EXIT.failed,
    code: "internal",
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    hint: "This is a bug in playhead. Report it with the command line that caused it.",
  };
}

/** Compares the name, because the class itself would load the whole harness. */
function isHarnessError(error: unknown): error is HarnessError {
  return error instanceof Error && error.name === "HarnessError";
}

/** A `HarnessError` repeats its hint in its message, because a test runner prints nothing else. */
function withoutHint(message: string, hint: string | undefined): string {
  const tail = `. ${hint ?? ""}`;
  return hint !== undefined && message.endsWith(tail) ? message.slice(0, -tail.length) : message;
}
