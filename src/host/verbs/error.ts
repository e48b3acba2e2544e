// The one error class of the verbs. Its message is written for the model that asked: what was wrong with the target, in the
// model's own words for it, and never a path of this machine nor an address that a name leads to.

/** Every code of a `VerbError`. */
export type VerbErrorCode =
  /** The target is no URL or path that the verbs take, or there is no root folder for it. */
  | "bad-target"
  /** It names a place outside the root folder, or lies behind a symbolic link. */
  | "outside-root"
  /** The host, or every address it has, is one that may not be reached. */
  | "not-allowed"
  | "not-found"
  /** The host could not be reached, broke off or did not speak HTTP. */
  | "unreachable"
  | "timeout"
  /** Too many redirects, or one that is not followed. */
  | "redirect"
  /** The target answered with a status that is no success. */
  | "status"
  | "too-large"
  /** The content is not what was asked for: binary, not JSON, too complicated. */
  | "content"
  /** An argument that the schema lets pass and this verb cannot use. */
  | "argument"
  /** A file is there already and was not to be replaced. */
  | "exists"
  /** The system refused: permissions, a full disk. */
  | "failed";

/** What a verb of `createVerbs` throws. A model reads `message`; a caller switches on `code`. */
export class VerbError extends Error {
  readonly code: VerbErrorCode;

  constructor(code: VerbErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "VerbError";
    this.code = code;
  }
}
