// The cassette layer's one error class. Callers rely on the code, which also decides the exit code of the command line: a refused file
// is an integrity failure, and a miss is a difference between the run and the recording.

import { showValue, toVisible, toVisibleLines, unknownOptions } from "../core/index.js";

/** Why a file or object was refused. It is never repaired. */
export type LoadErrorCode =
  | "not-utf8"
  | "byte-order-mark"
  | "not-json"
  | "duplicate-key"
  | "number-not-finite"
  /** A number with more digits than a double can hold, or too small for one. */
  | "number-inexact"
  | "lone-surrogate"
  | "too-deep"
  | "too-large"
  | "version-newer"
  | "version-malformed"
  | "downgrade"
  | "unknown-field"
  | "missing-field"
  | "wrong-type"
  | "out-of-order"
  | "prompt-hash"
  | "response-hash"
  | "envelope-hash"
  | "integrity-required"
  | "bundle-hash"
  /** A cassette is missing next to its bundle, or is not the one that the bundle lists. */
  | "bundle-mismatch"
  /** A signature that its key does not verify, or a signature of another payload. */
  | "signature-invalid"
  /** The cassette is signed, but not by a key that is trusted now. Only with a trust list. */
  | "signature-untrusted"
  | "signature-missing"
  /** A cassette that its lock does not confirm. */
  | "lock-mismatch"
  | "lock-malformed"
  | "trust-malformed"
  | "acceptance-malformed";

/** Why a replay could not answer a turn. */
export type MissErrorCode =
  | "prompt-changed"
  | "tools-changed"
  | "settings-changed"
  | "filter-one-sided"
  /** Recorded with redaction and replayed without. */
  | "redaction-one-sided"
  /** A recorded tool call has a placeholder in its arguments, and a live tool would receive it. */
  | "redacted-argument"
  | "exhausted"
  /** No recorded exchange has this method and path. */
  | "exchange-missing"
  /** An exchange of this method and path was recorded with another query or body. */
  | "exchange-changed"
  | "unconsumed"
  /** Live tools answered differently than recorded. */
  | "tool-drift";

/** Why a recording could not be made, written or read. */
export type RecordErrorCode =
  | "not-recordable"
  | "nothing-recorded"
  | "turn-in-progress"
  | "already-signed"
  | "file-exists"
  | "file-not-found"
  | "file-unreadable"
  /** JSON of another kind. */
  | "not-a-cassette"
  | "record-forbidden"
  | "import-unknown-format"
  | "import-malformed"
  | "diff-too-large"
  /** Nothing to export: the cassette holds only hashes of its prompts, or is version 1. */
  | "export-without-prompts"
  | "export-too-large"
  | "invalid-options"
  | "prices-malformed"
  | "rules-malformed"
  | "tolerances-malformed";

/** How a run of several agents differed from the recorded one. */
export type GraphErrorCode = "plan-changed" | "path-changed";

/** Every code of a {@link CassetteError}. */
export type CassetteErrorCode = LoadErrorCode | MissErrorCode | GraphErrorCode | RecordErrorCode;

/** Everything known about a turn that a replay could not answer. */
export interface MissReport {
  code: MissErrorCode;
  /** The turn of the live run that could not be answered, from 0. */
  turn: number;
  /** The nearest recorded turn, and whether it had already been used. */
  nearest?: { turnIndex: number; used: boolean };
  /** Index of the first message that differs. */
  messageIndex?: number;
  /** JSON pointer into the list of messages, tools or settings. */
  pointer?: string;
  /** Both values at the pointer as JSON text, cut around the first difference. Undefined if there is no value. */
  recorded?: string;
  actual?: string;
  /** A description of the change. */
  what: string;
  /** Descriptions of further differences from the nearest recorded turn, in tools and settings. Never empty. */
  also?: string[];
  hint: string;
  /** Names of the filters by which the two prompts are the same. */
  filters?: string[];
}

export interface CassetteErrorOptions {
  /** What to do about it, in one sentence. */
  hint?: string;
  /** The command that records the cassette, ready to paste. */
  rerecord?: string;
  /** The file it happened in, when there is one. */
  file?: string;
  /** JSON pointer (RFC 6901) into the cassette or request. */
  pointer?: string;
  /** Everything known about a replay miss. */
  miss?: MissReport;
  /** Names of the filters by which a missed exchange is the recorded one. */
  filters?: readonly string[];
  cause?: unknown;
}

/**
 * Every failure of the cassette layer. `summary` says what happened and with which value. `message`, which test runners print, adds
 * the file and what to do. Both are safe to print on a terminal. `file`, `pointer` and `miss.pointer` are raw data.
 */
export class CassetteError extends Error {
  readonly code: CassetteErrorCode;
  declare readonly summary: string;
  declare readonly hint: string | undefined;
  declare readonly rerecord: string | undefined;
  declare readonly file: string | undefined;
  declare readonly pointer: string | undefined;
  declare readonly miss: MissReport | undefined;
  declare readonly filters: readonly string[] | undefined;

  constructor(code: CassetteErrorCode, summary: string, options: CassetteErrorOptions = {}) {
    const { file, pointer, miss, filters, cause } = options;
    const visible = toVisibleLines(summary);
    const hint = options.hint === undefined ? undefined : toVisibleLines(options.hint);
    const rerecord = options.rerecord === undefined ? undefined : toVisible(options.rerecord);
    super(
      toMessage(visible, file === undefined ? undefined : toVisible(file), hint, rerecord),
      cause === undefined ? undefined : { cause },
    );
    this.name = "CassetteError";
    this.code = code;
    // Not enumerable, since Node would print the fields below the message, which repeats them.
    for (const [key, value] of Object.entries({ summary: visible, hint, rerecord, file, pointer, miss, filters })) {
      Object.defineProperty(this, key, { value, enumerable: false });
    }
  }
}

/** Refuses an unknown option: a misspelled `redact` must not record secrets. */
export function assertKnownOptions(owner: string, options: object, known: readonly string[]): void {
  if (typeof options !== "object" || (options as object | null) === null) {
    throw new CassetteError("invalid-options", `${owner} cannot use the options ${showValue(options)}`, {
      hint: "Pass an object.",
    });
  }
  const unknown = unknownOptions(options, known);
  if (unknown.length === 0) return;
  throw new CassetteError("invalid-options", `${owner} has an unknown option: ${unknown.join(", ")}`, {
    hint: `The options are ${known.join(", ")}.`,
  });
}

function toMessage(summary: string, file?: string, hint?: string, rerecord?: string): string {
  const lines = [summary];
  if (file !== undefined && !summary.includes(file)) lines.push(`  file     ${file}`);
  if (hint !== undefined) lines.push(`  to do    ${hint}`);
  if (rerecord !== undefined) lines.push(`  command  ${rerecord}`);
  return lines.join("\n");
}
