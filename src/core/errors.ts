// The core's one error class and its closed set of codes. Callers switch on `code`. Message texts may change.

/** The codes of an {@link AgentError}. Switch on these. Messages may change. */
export type AgentErrorCode =
  /** A value to hash or store is not plain JSON. */
  | "not-json"
  /** Options that can never work, found during construction. */
  | "invalid-options"
  /** The model sent arguments that a tool must not see. */
  | "tool-arguments"
  /** A policy forbids a tool call. */
  | "tool-denied"
  /** A tool of an agent that ends on failures failed, or the model made only refused calls for too many turns. */
  | "tool-failed"
  /** A condition or an input of a plan's edge threw, or returned a value of the wrong type. */
  | "handoff-failed"
  /** The memory refused or lost a run's data, or is full. */
  | "memory-failed"
  /** A run is under way in this conversation. Retryable. */
  | "conversation-busy"
  /** The storage failed, a stored conversation is damaged, or another process wrote to it (retryable). */
  | "conversation-failed"
  /** A session was killed, is being deleted, or its agent was closed. */
  | "session-closed"
  /** Another process stored a newer state of the session. Retryable. */
  | "session-conflict"
  /** Too many inputs wait in one session. Retryable. */
  | "queue-full"
  /** A background job did not end where the replayed recording says so. */
  | "arrival-drift"
  /** A plugin threw, or its setup did. */
  | "plugin-failed"
  /** A model function returned something that is not a turn. */
  | "model-output"
  /** A store of sessions or runs failed or refused a value. Retryable if the same call may succeed later. */
  | "store-failed"
  /** A run waits for a decision about a tool call that may have had its effect. */
  | "needs-recovery"
  /** Another process works on the run. Retryable. */
  | "lease-lost"
  /** A run was claimed too often without getting ahead. */
  | "gave-up"
  /** The host did not provide something: the body of a verb, or a provider with that id. */
  | "capability-missing"
  /** The vendor answered with a status other than 2xx. */
  | "provider-http"
  /** The vendor could not be reached, or its answer breaks its own protocol. */
  | "provider-response"
  /** A call took longer than its `timeoutMs`. */
  | "timeout"
  /** The host refused an attempt of a fallback chain before anything was sent. */
  | "egress-refused"
  /** Every entry of a fallback chain was tried or skipped, and none answered. */
  | "providers-exhausted"
  /** The caller's signal fired. */
  | "aborted"
  /** A turn or a tool call could not be added to the chain of signed receipts. */
  | "receipt-failed"
  /** A run used more turns than a scripted provider has, or left some unused. */
  | "script-exhausted"
  | "script-unused";

/** The kind of a provider failure, the same for every vendor. Switch on this, never on text. */
export type LlmErrorKind =
  /** The key is missing, wrong or expired. */
  | "auth"
  /** The key is valid but lacks the permission, or its account has no credit. */
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

/** Optional fields of an {@link AgentError}. */
export interface AgentErrorOptions {
  /** One sentence on what to do. */
  hint?: string;
  /** True when the same call may succeed later. Default false. */
  retryable?: boolean;
  /** The kind of a provider failure. */
  kind?: LlmErrorKind;
  /** True if the caller has already received part of the answer. Default false. */
  responseStarted?: boolean;
  cause?: unknown;
}

/** Every failure of the core. `message` says what happened and with which value; `hint` says what to do. */
export class AgentError extends Error {
  readonly code: AgentErrorCode;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  /** Set on every error of a provider, except for an abort and for invalid options. */
  readonly kind: LlmErrorKind | undefined;
  /** True if a stream failed after its first delta. A retry would repeat the text that was already streamed. */
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

/** Creates an `invalid-options` error. `message` names the wrong value, `hint` says what to pass instead. */
export function invalidOptions(message: string, hint: string, cause?: unknown): AgentError {
  return new AgentError("invalid-options", message, { hint, cause });
}

/**
 * Thrown by argument validation. A tool's own `invoke` throws it to hide the details of a failure from the model. The model reads
 * "tool unavailable". The event log keeps `message`, `tool` and `field`.
 */
export class ToolArgError extends AgentError {
  readonly tool: string | undefined;
  /** JSON pointer (RFC 6901) to the refused argument. "" is the whole object. */
  readonly field: string | undefined;

  constructor(message: string, options: { tool?: string; field?: string; cause?: unknown } = {}) {
    super("tool-arguments", message, options);
    this.name = "ToolArgError";
    this.tool = options.tool;
    this.field = options.field;
  }
}

/**
 * Thrown when a policy forbids a tool call. The run rejects with it, since another attempt would be denied too. The model never reads
 * it. The event log keeps `message` as `tool-denied`.
 */
export class ToolPolicyError extends AgentError {
  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super("tool-denied", message, { ...options, retryable: false });
    this.name = "ToolPolicyError";
  }
}

/** A vendor's own description of its failure, from a JSON answer. API keys are masked. At most 500 characters. */
export interface VendorFault {
  code?: string;
  type?: string;
  message?: string;
}

/** Thrown when a vendor answers with a status other than 2xx. `kind`, `retryable` and `hint` depend on status and body. */
export class LlmProviderHttpError extends AgentError {
  declare readonly kind: LlmErrorKind;
  readonly status: number;
  /** The start of the answer, at most 500 characters, with API keys masked. */
  readonly bodySnippet: string;
  readonly providerName: string;
  /** The wait that the vendor requested, in milliseconds, at most 24 hours. Undefined if it requested none or a retry cannot help. */
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
