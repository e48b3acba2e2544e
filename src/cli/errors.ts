// The command line's own error, and the one place where any thrown error becomes an exit code and words.

import { CassetteError } from "../cassette/index.js";
import { AgentError, defined } from "../core/index.js";
import type { HarnessError } from "../harness/index.js";
import { EXIT, exitCodeOf, type ExitCode } from "./exit-codes.js";

/** Closed; tests and scripts rely on the words. */
export type CliErrorCode =
  /** An argument or option that cannot be meant. */
  | "usage"
  /** A folder without cassettes, or a log without records. */
  | "nothing-found"
  | "nothing-to-compare"
  | "log-not-found"
  | "log-too-large"
  | "log-unreadable"
  | "receipts-unreadable"
  /** Two records of one import would be one file. */
  | "path-taken"
  /** A record would be written outside the folder asked for. */
  | "path-outside"
  /** The request of `why` is not there, too large, or no JSON. */
  | "request-unreadable"
  /** A ledger of `prune` is missing, empty or damaged, lacks a shard, or belongs to other cassettes. */
  | "ledger-unreadable"
  /** The command after `--` could not be started. */
  | "command-not-started"
  /** The command after `--` succeeded without using a cassette. */
  | "no-cassette-used"
  /** Two processes of one command recorded the same file. */
  | "recorded-twice"
  /** The command of `mutate` fails without any change, so a failure with one says nothing. */
  | "baseline-failed"
  /** The command of `mutate` records cassettes instead of replaying them. */
  | "suite-records"
  /** No mutant could be made of the cassettes that the command loads, or none of those that were run was loaded. */
  | "nothing-to-mutate"
  /** An id of `--only` that no mutant has. */
  | "mutant-unknown"
  /** A cassette is not what it was when `mutate` began. */
  | "cassette-changed"
  /** The report of `mutate` or `drift` is there already, is no such report, is of another run, or cannot be written. */
  | "report-unusable"
  /** The system's folder for temporary files cannot be written to. */
  | "no-temporary-folder"
  /** A private key is there already, or could not be written. */
  | "key-not-written"
  /** A file that holds a private key could not be read. */
  | "key-unreadable"
  /** Writing a lock was asked for where CI is set. */
  | "lock-in-ci"
  /** The lock could not be written. */
  | "lock-not-written"
  /** The envelope of further signatures could not be written. */
  | "envelope-not-written"
  /** The file of an export is there already, or could not be written. */
  | "export-not-written"
  /** The page of a cassette is there already, or could not be written. */
  | "page-not-written"
  /** Accepting a run was asked for where CI is set. */
  | "bless-in-ci"
  /** Another process accepts runs into the same baseline. */
  | "bless-running"
  /** A run that its own recording calls failed, or does not call a success as it should, was to be accepted. */
  | "run-failed"
  /** The reasons of a baseline could not be written. */
  | "acceptance-not-written"
  /** The provider of `step-check` is not there, or no provider. */
  | "provider-unclear"
  /** The variable that should hold the key of a vendor is empty. */
  | "key-missing"
  /** A model would have to be asked where CI is set. */
  | "live-in-ci"
  /** The answers of a step check could not be written. */
  | "answers-not-kept"
  /** A file of tools cannot be read, or holds none. */
  | "tools-unreadable"
  /** The thread that read a file died over it. */
  | "thread-died"
  /** A server could not take its port. */
  | "cannot-listen"
  /** With `verify --independent`: the second implementation comes to another result. Exits 3, as any refusal does. */
  | "independent-mismatch";

/** A failure that belongs to no layer below. The exit code is 2, but for `independent-mismatch`. */
export class CliError extends Error {
  readonly code: CliErrorCode;
  readonly hint: string;
  readonly file: string | undefined;

  constructor(code: CliErrorCode, message: string, hint: string, file?: string) {
    super(message);
    this.name = "CliError";
    this.code = code;
    this.hint = hint;
    this.file = file;
  }
}

/** A failure as it is printed. */
export interface Failure {
  exitCode: ExitCode;
  code: string;
  message: string;
  file?: string;
  pointer?: string;
  hint?: string;
}

/** Any thrown value as a failure; `file` is named when the error itself names none. */
export function toFailure(error: unknown, file?: string): Failure {
  const failure = recognise(error);
  if (failure.hint === undefined) failure.hint = "Check that the file is the one you mean and may be read and written.";
  if (failure.file === undefined && file !== undefined) failure.file = file;
  return failure;
}

function recognise(error: unknown): Failure {
  if (error instanceof CassetteError) {
    const { code, summary: message, file, pointer, hint } = error;
    return compact({ exitCode: exitCodeOf(code), code, message, file, pointer, hint });
  }
  if (error instanceof CliError) {
    const { code, message, file, hint } = error;
    const exitCode = code === "independent-mismatch" ? EXIT.integrity : EXIT.failed;
    return compact({ exitCode, code, message, file, hint });
  }
  if (isHarnessError(error)) {
    const { code, hint } = error;
    return compact({ exitCode: EXIT.failed, code, message: withoutHint(error.message, hint), hint });
  }
  if (error instanceof AgentError) {
    const { code, message, hint } = error;
    return compact({ exitCode: EXIT.failed, code, message, hint });
  }
  return {
    exitCode: EXIT.failed,
    code: "internal",
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    hint: "This is a defect of playhead itself; report it with the command line that led to it.",
  };
}

/** By its name: the class would load the whole harness, also for a command that has no use for it. */
function isHarnessError(error: unknown): error is HarnessError {
  return error instanceof Error && error.name === "HarnessError";
}

/** A `HarnessError` carries its hint in the message too, since a test runner prints nothing else. */
function withoutHint(message: string, hint: string | undefined): string {
  const tail = `. ${hint ?? ""}`;
  return hint !== undefined && message.endsWith(tail) ? message.slice(0, -tail.length) : message;
}

interface LooseFailure {
  exitCode: ExitCode;
  code: string;
  message: string;
  file?: string | undefined;
  pointer?: string | undefined;
  hint?: string | undefined;
}

function compact({ exitCode, code, message, file, pointer, hint }: LooseFailure): Failure {
  return {
    exitCode,
    code,
    message,
    ...defined({ file }),
    ...(pointer === undefined || pointer === "" ? {} : { pointer }),
    ...defined({ hint }),
  };
}
