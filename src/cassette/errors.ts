// The cassette layer's one error class. The code is the promise, and decides the exit code of the command line:
// a refusal of a file is an integrity failure, a miss is a difference between the run and the recording.

/** Why a file or object was refused at the door. Refused, never repaired. */
export type LoadErrorCode =
  | "not-utf8"
  | "byte-order-mark"
  | "not-json"
  | "duplicate-key"
  | "number-not-finite"
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
  | "integrity-required";

/** Why a replay could not answer a turn. */
export type MissErrorCode =
  "prompt-changed" | "tools-changed" | "settings-changed" | "filter-one-sided" | "exhausted" | "unconsumed";

/** Why a recording could not be made, kept or read. */
export type RecordErrorCode =
  | "not-recordable"
  | "nothing-recorded"
  | "turn-in-progress"
  | "file-exists"
  | "file-not-found"
  | "file-unreadable"
  | "record-forbidden"
  | "import-unknown-format"
  | "import-malformed"
  | "diff-too-large"
  | "invalid-options";

export type CassetteErrorCode = LoadErrorCode | MissErrorCode | RecordErrorCode;

/** Everything known about a turn that a replay could not answer. */
export interface MissReport {
  code: MissErrorCode;
  /** The turn of the live run that could not be answered, from 0. */
  turn: number;
  /** The recorded turn that came nearest, and whether it had been used already. */
  nearest?: { turnIndex: number; used: boolean };
  /** Index of the first message that differs. */
  messageIndex?: number;
  /** JSON pointer into the list of messages, tools or settings. */
  pointer?: string;
  /** Both values at the pointer as JSON text, cut around where they part. Absent: there is nothing there. */
  recorded?: string;
  actual?: string;
  /** What changed, in words. */
  what: string;
  /** What to do about it. */
  hint: string;
}

export interface CassetteErrorOptions {
  /** What to do about it, as one sentence. */
  hint?: string;
  /** The file it happened in, when there is one. */
  file?: string;
  /** JSON pointer (RFC 6901) into the cassette or request. */
  pointer?: string;
  /** Everything known about a replay miss. */
  miss?: MissReport;
  cause?: unknown;
}

/** Every failure of the cassette layer. `message` says what happened and with which value; `hint` says what to do. */
export class CassetteError extends Error {
  readonly code: CassetteErrorCode;
  readonly hint: string | undefined;
  readonly file: string | undefined;
  readonly pointer: string | undefined;
  readonly miss: MissReport | undefined;

  constructor(code: CassetteErrorCode, message: string, options: CassetteErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CassetteError";
    this.code = code;
    this.hint = options.hint;
    this.file = options.file;
    this.pointer = options.pointer;
    this.miss = options.miss;
  }
}
