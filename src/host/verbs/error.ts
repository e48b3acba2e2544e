// The error class of the verbs. Its message is for the model: it names the target as the model wrote it, and never a path of this machine
// or the address of a name.

/** Every code of a `VerbError`. */
export type VerbErrorCode =
  /** The target is not a URL or path for the verbs, or there is no root folder. */
  | "bad-target"
  /** The target is outside the root folder, or behind a symbolic link. */
  | "outside-root"
  /** The host or an address of it may not be reached. */
  | "not-allowed"
  | "not-found"
  /** The host could not be reached, closed the connection or did not speak HTTP. */
  | "unreachable"
  | "timeout"
  /** Too many redirects, or one that is not followed. */
  | "redirect"
  /** The target answered with an HTTP status other than 2xx. */
  | "status"
  | "too-large"
  /** The content is not in the requested form: binary, not JSON, too complicated. */
  | "content"
  /** The schema allows the argument, but this verb cannot use it. */
  | "argument"
  /** The file exists and may not be replaced. */
  | "exists"
  /** The system refused: permissions, a full disk. */
  | "failed";

/** The error of the verbs of `createVerbs`. A model reads `message`, a caller switches on `code`. */
export class VerbError extends Error {
  readonly code: VerbErrorCode;

  constructor(code: VerbErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "VerbError";
    this.code = code;
  }
}
