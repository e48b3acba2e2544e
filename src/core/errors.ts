// The core's one error class and its closed set of codes. A caller switches on `code`; the text may improve.

/** Every code of an {@link AgentError}: the promise to switch on, where the message may improve. */
export type AgentErrorCode =
  /** A value that is not plain JSON reached a place that hashes or stores it. */
  | "not-json"
  /** Options that can never work, found when something is built. */
  | "invalid-options"
  /** Arguments from the model that a tool must not see. */
  | "tool-arguments"
  /** A policy forbids a tool call. */
  | "tool-denied"
  /** A tool failed, for an agent that ends on that; or the model asked for nothing but refused calls too often. */
  | "tool-failed"
  /** A condition or an input of a plan's edge threw, or gave something else than it must. */
  | "handoff-failed"
  /** The memory refused or lost what a run keeps in it, or is full. */
  | "memory-failed"
  /** Something only the host can bring is not there: the body of a verb, a provider of that id. */
  | "capability-missing"
  /** The vendor answered with a status other than 2xx. */
  | "provider-http"
  /** The vendor could not be reached, or its answer is not what the wire promises. */
  | "provider-response"
  /** A call took longer than its `timeoutMs`. */
  | "timeout"
  /** Every entry of a fallback chain was tried or skipped, and none answered. */
  | "providers-exhausted"
  /** The caller's signal fired. */
  | "aborted"
  /** A turn or a tool call could not be put into the chain of signed receipts. */
  | "receipt-failed"
  /** A scripted provider was asked for more turns than it holds, or was left with some. */
  | "script-exhausted"
  | "script-unused";

/** What kind of failure a vendor or the way to it had; the same for every vendor. A caller switches on it, never on text. */
export type LlmErrorKind =
  /** The key is missing, wrong or expired. */
  | "auth"
  /** The key is good and may not do this, or its account has no credit. */
  | "permission"
  | "not-found"
  | "bad-request"
  /** The conversation is too long for the model, or the request too large for the vendor. */
  | "context-length"
  | "content-filter"
  | "rate-limit"
  | "overloaded"
  /** The vendor failed, or could not be reached. */
  | "unavailable"
  | "timeout"
  | "unknown";

/** What an {@link AgentError} is made with beside its code and message. */
export interface AgentErrorOptions {
  /** What to do about it, as one sentence. */
  hint?: string;
  /** True when the same call may succeed later. Default false. */
  retryable?: boolean;
  /** For a failure of a provider. */
  kind?: LlmErrorKind;
  /** True when the caller was given a part of the answer before. Default false. */
  responseStarted?: boolean;
  cause?: unknown;
}

/** Every failure of the core. `message` says what happened and with which value; `hint` says what to do. */
export class AgentError extends Error {
  readonly code: AgentErrorCode;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  /** Set on what a provider rejects with, but for an abort and for options that can never work. */
  readonly kind: LlmErrorKind | undefined;
  /** A stream failed after its first delta: whoever tries again says those words twice. */
  readonly responseStarted: boolean;

  constructor(code: AgentErrorCode, message: string, options: AgentErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AgentError";
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.hint = options.hint;
    this.kind = options.kind;
    this.responseStarted = options.responseStarted ?? false;
  }
}

/** An `invalid-options` error: `message` names the wrong value, `hint` says what to pass instead. */
export function invalidOptions(message: string, hint: string, cause?: unknown): AgentError {
  return new AgentError("invalid-options", message, { hint, cause });
}

/**
 * Thrown by argument validation, and by a tool's own `invoke` when the detail must not reach the model:
 * the model reads "tool unavailable", the event log keeps `message`, `tool` and `field`.
 */
export class ToolArgError extends AgentError {
  readonly tool: string | undefined;
  /** JSON pointer (RFC 6901) of the argument that was refused; "" is the whole object. */
  readonly field: string | undefined;

  constructor(message: string, options: { tool?: string; field?: string; cause?: unknown } = {}) {
    super("tool-arguments", message, options);
    this.name = "ToolArgError";
    this.tool = options.tool;
    this.field = options.field;
  }
}

/**
 * Thrown by a tool whose call a policy forbids: the run rejects with it, since asking again would only be denied again. The
 * model never reads it; the event log keeps `message` as `tool-denied`.
 */
export class ToolPolicyError extends AgentError {
  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super("tool-denied", message, { ...options, retryable: false });
    this.name = "ToolPolicyError";
  }
}

/** What a vendor itself called its failure, read from the answer where that is JSON. Keys are masked, 500 characters at most. */
export interface VendorFault {
  code?: string;
  type?: string;
  message?: string;
}

/** Thrown when a vendor answers with a status other than 2xx. `kind`, `retryable` and `hint` follow from status and body. */
export class LlmProviderHttpError extends AgentError {
  declare readonly kind: LlmErrorKind;
  readonly status: number;
  /** The beginning of the answer, 500 characters at most, with keys masked. */
  readonly bodySnippet: string;
  readonly providerName: string;
  /** What the vendor asked to wait, 24 hours at most, where the same call may succeed later and the vendor said so. */
  readonly retryAfterMs: number | undefined;
  readonly vendor: VendorFault;

  constructor(details: {
    status: number;
    bodySnippet: string;
    providerName: string;
    hint: string;
    retryable: boolean;
    kind?: LlmErrorKind;
    retryAfterMs?: number;
    vendor?: VendorFault;
  }) {
    const { status, bodySnippet, providerName, hint, retryable, kind = "unknown" } = details;
    const said = bodySnippet === "" ? " with an empty body" : `: ${bodySnippet}`;
    super("provider-http", `${providerName} answered HTTP ${status}${said}`, { hint, retryable, kind });
    this.name = "LlmProviderHttpError";
    this.status = status;
    this.bodySnippet = bodySnippet;
    this.providerName = providerName;
    this.retryAfterMs = details.retryAfterMs;
    this.vendor = details.vendor ?? {};
  }
}
