// The harness layer's one error class.

/** Every code of a {@link HarnessError}. */
export type HarnessErrorCode =
  /** CASSETTE_MODE or a `mode` option holds a word that is no mode. */
  | "mode-unknown"
  /** Recording was asked for where CI=true. */
  | "record-in-ci"
  /** Mode `fork` was asked for without saying what to fork, where, or into which file. */
  | "fork-unclear"
  /** CASSETTE_OVERLAY is set to something that is no overlay. */
  | "overlay-unclear"
  /** `rulesPolicy` was asked for something it does not do. */
  | "rules-unclear"
  /** A double was asked to be what it cannot be: a clock at no moment, a host with half a seed. */
  | "double-unclear"
  /** What a fixed clock waits for never comes. */
  | "never-settles"
  /** Faults, or when they strike, are not said in a way that can be carried out. */
  | "faults-unclear"
  /** A matcher was given something it cannot work on. */
  | "matcher-misuse"
  /** The drift gate was given more scenarios, or more runs of one, than it compares. */
  | "too-many-runs"
  /** A recording lacks what another model would have to be asked. */
  | "not-checkable"
  /** Recorded answers of a step check belong to another recording or model. */
  | "answers-unfit"
  /** A limit of a step check is none. */
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
