// The harness layer's one error class.

export type HarnessErrorCode =
  /** CASSETTE_MODE or a `mode` option holds a word that is no mode. */
  | "mode-unknown"
  /** Recording was asked for where CI=true. */
  | "record-in-ci"
  /** Mode `fork` was asked for without saying what to fork, where, or into which file. */
  | "fork-unclear"
  /** CASSETTE_OVERLAY is set to something that is no overlay. */
  | "overlay-unclear"
  /** A matcher was given something it cannot work on. */
  | "matcher-misuse"
  /** The drift gate was given more scenarios, or more runs of one, than it compares. */
  | "too-many-runs";

/** Every failure of the harness. `message` says what happened and with which value; `hint` says what to do. */
export class HarnessError extends Error {
  readonly code: HarnessErrorCode;
  readonly hint: string | undefined;

  constructor(code: HarnessErrorCode, message: string, hint?: string) {
    super(hint === undefined ? message : `${message}. ${hint}`);
    this.name = "HarnessError";
    this.code = code;
    this.hint = hint;
  }
}
