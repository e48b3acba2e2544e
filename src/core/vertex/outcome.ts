// Why a graph vertex failed, as one of a closed set of codes. Judged by code and kind of an error, never by its words, and
// total: whatever was thrown has a code.

import { AgentError, type AgentErrorCode, type LlmErrorKind } from "../errors.js";
import type { BudgetCap } from "../loop/budget.js";
import { quoteForeign } from "../text/mask.js";
import { thrownText } from "../text/thrown.js";

/** What an engine decides by. */
export type NodeErrorCode =
  /** The run's signal fired, or a part of the run was aborted. */
  | "cancelled"
  /** A policy forbids a tool call. */
  | "tool_denied"
  | "tool_failed"
  /** The host lacks something, or the fault is in code. */
  | "internal"
  /** The key was refused, or may not do this. */
  | "provider_auth"
  | "provider_rate_limit"
  /** The vendor is overloaded, down, too slow or not to be reached. */
  | "provider_unavailable"
  | "content_filter"
  /** What was asked can never work: an option, a model that is not there, a conversation too long for it. */
  | "validation"
  /** A cap ended the turns before the model did. */
  | "turn_limit";

/** The failed half of a vertex's outcome. */
export interface NodeFailure {
  readonly code: NodeErrorCode;
  /** For a person: 500 characters at most, with keys masked. */
  readonly message: string;
  /** True when the same vertex may succeed later. */
  readonly retryable: boolean;
}

/** Never throws. Once `signal` has fired the answer is `cancelled`, whatever the error. */
export function classifyFailure(error: unknown, signal?: AbortSignal): NodeFailure {
  if (signal?.aborted === true) return { code: "cancelled", message: "the run was cancelled", retryable: false };
  return { ...judge(error), message: quoteForeign(thrownText(error)) };
}

/** A reached cap as a failure, for a caller who takes it for one; to the runtime it is a normal end. */
export function limitFailure(cap: BudgetCap, limit: number): NodeFailure {
  return { code: "turn_limit", message: `the agent reached its limit of ${limit} ${CAP_WORDS[cap]}`, retryable: false };
}

const CAP_WORDS: Readonly<Record<BudgetCap, string>> = {
  turns: "turns",
  toolCalls: "tool calls",
  tokens: "tokens",
  costUsd: "USD",
};

type Verdict = Pick<NodeFailure, "code" | "retryable">;

const INTERNAL: Verdict = { code: "internal", retryable: false };

function judge(error: unknown): Verdict {
  try {
    return error instanceof AgentError ? judgeAgentError(error) : INTERNAL;
  } catch {
    // An object that throws when it is looked at tells nothing of itself.
    return INTERNAL;
  }
}

function judgeAgentError({ code, kind, retryable }: AgentError): Verdict {
  // A subclass may bring a code or a kind of its own.
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : "internal";
  const said = kind ?? (code === "timeout" ? "timeout" : "unknown");
  switch (known) {
    case "by-kind":
      return { code: Object.hasOwn(BY_KIND, said) ? BY_KIND[said] : "internal", retryable };
    case "tool_failed":
      return { code: known, retryable };
    case "cancelled":
    case "tool_denied":
    case "validation":
    case "internal":
      return { code: known, retryable: false };
  }
}

type ByCode = "by-kind" | "cancelled" | "tool_denied" | "tool_failed" | "validation" | "internal";

const BY_CODE: Readonly<Record<AgentErrorCode, ByCode>> = {
  "not-json": "internal",
  "invalid-options": "validation",
  "tool-arguments": "tool_failed",
  "tool-denied": "tool_denied",
  "tool-failed": "tool_failed",
  "handoff-failed": "internal",
  "memory-failed": "internal",
  "capability-missing": "internal",
  "provider-http": "by-kind",
  "provider-response": "by-kind",
  timeout: "by-kind",
  "providers-exhausted": "by-kind",
  aborted: "cancelled",
  "receipt-failed": "internal",
  "script-exhausted": "internal",
  "script-unused": "internal",
};

const BY_KIND: Readonly<Record<LlmErrorKind, NodeErrorCode>> = {
  auth: "provider_auth",
  permission: "provider_auth",
  "not-found": "validation",
  "bad-request": "validation",
  "context-length": "validation",
  "content-filter": "content_filter",
  "rate-limit": "provider_rate_limit",
  overloaded: "provider_unavailable",
  unavailable: "provider_unavailable",
  timeout: "provider_unavailable",
  unknown: "internal",
};
