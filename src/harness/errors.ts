// The harness layer's one error class.

/** Every code of a {@link HarnessError}. */
export type HarnessErrorCode =
  /** CASSETTE_MODE or a `mode` option holds a word that is not a mode. */
  | "mode-unknown"
  /** Recording was requested although CI=true. */
  | "record-in-ci"
  /** Mode `fork` lacks the cassette to fork, the turn, or the new file. */
  | "fork-unclear"
  /** CASSETTE_OVERLAY is set to something that is not an overlay. */
  | "overlay-unclear"
  /** `rulesPolicy` got an option that it does not support. */
  | "rules-unclear"
  /** A test double got an invalid option, such as a clock without a valid time. */
  | "double-unclear"
  /** A fixed clock waits for something that never happens. */
  | "never-settles"
  /** A fault, or the time when it strikes, is not valid. */
  | "faults-unclear"
  /** A matcher got a value of the wrong kind. */
  | "matcher-misuse"
  /** The drift gate was given more scenarios, or more runs of one, than it compares. */
  | "too-many-runs"
  /** A recording lacks the prompts or tools that another model needs. */
  | "not-checkable"
  /** Recorded answers of a step check belong to another recording or model. */
  | "answers-unfit"
  /** A limit of a step check is not a valid number. */
  | "limits-unclear"
  /** A message or option of a framework that a conversation here cannot hold, or the other way round. */
  | "cannot-convert"
  /** The tools of a server, or of a recording, cannot be told apart or taken. */
  | "tools-unclear"
  /** A judge answered without a grade. */
  | "judge-unclear"
  /** A cost limit for a model without a known price. */
  | "cost-unknown"
  /** A tool, provider or function breaks a law it was held to. */
  | "law-broken"
  /** A law was held against nothing: nothing that was tried got as far as what it is about. */
  | "law-empty";

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
