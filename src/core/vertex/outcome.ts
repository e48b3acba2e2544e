// Why a graph vertex failed, as one of a closed set of codes. The code and kind of an error decide, never its message.

import { AgentError, type AgentErrorCode, type LlmErrorKind } from "../errors.js";
import type { BudgetCap } from "../loop/budget.js";
import { quoteForeign } from "../text/mask.js";
import { thrownText } from "../text/thrown.js";

/** Why a vertex failed: a closed set. */
export type NodeErrorCode =
  /** The run's signal fired, or a part of the run was aborted. */
  | "cancelled"
  | "tool_denied"
  | "tool_failed"
  /** The host lacks a capability, or the code has a bug. */
  | "internal"
  /** The key was refused or lacks a permission. */
  | "provider_auth"
  | "provider_rate_limit"
  /** The vendor is overloaded, down, too slow or unreachable. */
  | "provider_unavailable"
  | "content_filter"
  /** The request can never work: a wrong option, an unknown model, a conversation that is too long. */
  | "validation"
  /** A cap ended the run before the model did. */
  | "turn_limit";

/** The failure of a vertex, as data. */
export interface NodeFailure {
  readonly code: NodeErrorCode;
  /** For people: at most 500 characters, with keys masked. */
  readonly message: string;
  readonly retryable: boolean;
}

/** Converts an error to a failure: `cancelled` once `signal` has fired, whatever the error. Never throws. */
export function classifyFailure(error: unknown, signal?: AbortSignal): NodeFailure {
  if (signal?.aborted === true) return { code: "cancelled", message: "the run was cancelled", retryable: false };
  return { ...judge(error), message: quoteForeign(thrownText(error)) };
}

/** A reached cap as a failure, for callers that treat it as one. To the runtime it is a normal end. */
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
    return INTERNAL;
  }
}

function judgeAgentError({ code, kind, retryable }: AgentError): Verdict {
  // A subclass may have its own code or kind.
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : "internal";
  const said = kind ?? (code === "timeout" ? "timeout" : "unknown");
  if (known === "by-kind") return { code: Object.hasOwn(BY_KIND, said) ? BY_KIND[said] : "internal", retryable };
  return { code: known, retryable: known === "tool_failed" && retryable };
}

type ByCode = "by-kind" | "cancelled" | "tool_denied" | "tool_failed" | "turn_limit" | "validation" | "internal";

const BY_CODE: Readonly<Record<AgentErrorCode, ByCode>> = {
  "not-json": "internal",
  "invalid-options": "validation",
  "tool-arguments": "tool_failed",
  "tool-denied": "tool_denied",
  "tool-failed": "tool_failed",
  "handoff-failed": "internal",
  "memory-failed": "internal",
  "conversation-busy": "internal",
  "conversation-failed": "internal",
  "session-closed": "internal",
  "session-conflict": "internal",
  "queue-full": "internal",
  "arrival-drift": "internal",
  "plugin-failed": "internal",
  "model-output": "internal",
  "store-failed": "internal",
  "needs-recovery": "internal",
  "lease-lost": "internal",
  "gave-up": "internal",
  "capability-missing": "internal",
  "provider-http": "by-kind",
  "provider-response": "by-kind",
  timeout: "by-kind",
  "egress-refused": "turn_limit",
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
