// The core's one error class and its closed set of codes. A caller switches on `code`; the text may improve.

export type AgentErrorCode =
  /** A value that is not plain JSON reached a place that hashes or stores it. */
  | "not-json"
  /** Options that can never work, found when something is built. */
  | "invalid-options"
  /** Arguments from the model that a tool must not see. */
  | "tool-arguments"
  /** The vendor answered with a status other than 2xx. */
  | "provider-http"
  /** The vendor could not be reached, or its answer is not what the wire promises. */
  | "provider-response"
  /** A call took longer than its `timeoutMs`. */
  | "timeout"
  /** The caller's signal fired. */
  | "aborted"
  /** A scripted provider was asked for more turns than it holds, or was left with some. */
  | "script-exhausted"
  | "script-unused";

export interface AgentErrorOptions {
  /** What to do about it, as one sentence. */
  hint?: string;
  /** True when the same call may succeed later. Default false. */
  retryable?: boolean;
  cause?: unknown;
}

/** Every failure of the core. `message` says what happened and with which value; `hint` says what to do. */
export class AgentError extends Error {
  readonly code: AgentErrorCode;
  readonly retryable: boolean;
  readonly hint: string | undefined;

  constructor(code: AgentErrorCode, message: string, options: AgentErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AgentError";
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.hint = options.hint;
  }
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

/** Thrown when a vendor answers with a status other than 2xx. `retryable` and `hint` follow from the status. */
export class LlmProviderHttpError extends AgentError {
  readonly status: number;
  /** The beginning of the answer, 500 characters at most, with keys masked. */
  readonly bodySnippet: string;
  readonly providerName: string;
  /** What the vendor asked to wait, where the same call may succeed later and the vendor said so. */
  readonly retryAfterMs: number | undefined;

  constructor(details: {
    status: number;
    bodySnippet: string;
    providerName: string;
    hint: string;
    retryable: boolean;
    retryAfterMs?: number;
  }) {
    const { status, bodySnippet, providerName, hint, retryable } = details;
    const said = bodySnippet === "" ? " with an empty body" : `: ${bodySnippet}`;
    super("provider-http", `${providerName} answered HTTP ${status}${said}`, { hint, retryable });
    this.name = "LlmProviderHttpError";
    this.status = status;
    this.bodySnippet = bodySnippet;
    this.providerName = providerName;
    this.retryAfterMs = details.retryAfterMs;
  }
}
