import { describe, expect, it } from "vitest";
import {
  AgentError,
  LlmProviderHttpError,
  ToolArgError,
  ToolPolicyError,
  type AgentErrorCode,
  type LlmErrorKind,
} from "../../../src/core/errors.js";
import { classifyFailure, limitFailure, type NodeErrorCode } from "../../../src/core/vertex/outcome.js";
import { ProvidersExhaustedError } from "../../../src/core/providers/fallback/failure.js";

const verdict = (error: unknown) => {
  const { code, retryable } = classifyFailure(error);
  return { code, retryable };
};
const exhausted = (kind: LlmErrorKind, retryable: boolean) =>
  new ProvidersExhaustedError("chain", [], { kind, retryable, retryAfterMs: undefined });

describe("the code of a failure", () => {
  it.each<[LlmErrorKind, NodeErrorCode]>([
    ["auth", "provider_auth"],
    ["permission", "provider_auth"],
    ["not-found", "validation"],
    ["bad-request", "validation"],
    ["context-length", "validation"],
    ["content-filter", "content_filter"],
    ["rate-limit", "provider_rate_limit"],
    ["overloaded", "provider_unavailable"],
    ["unavailable", "provider_unavailable"],
    ["timeout", "provider_unavailable"],
    ["unknown", "internal"],
  ])("REL-54 REL-55 of a chain that ended on %s is %s, retryable as the error is", (kind, code) => {
    for (const retryable of [true, false]) expect(verdict(exhausted(kind, retryable))).toEqual({ code, retryable });
  });

  it.each<[AgentErrorCode, NodeErrorCode]>([
    ["aborted", "cancelled"],
    ["tool-denied", "tool_denied"],
    ["tool-arguments", "tool_failed"],
    ["capability-missing", "internal"],
    ["invalid-options", "validation"],
    ["not-json", "internal"],
    ["receipt-failed", "internal"],
    ["script-exhausted", "internal"],
    ["script-unused", "internal"],
    ["provider-response", "internal"],
    ["timeout", "provider_unavailable"],
  ])("REL-57 of an error of code %s is %s", (code, expected) => {
    expect(verdict(new AgentError(code, "x"))).toEqual({ code: expected, retryable: false });
  });

  it("REL-48 REL-49 REL-53 is not retryable after an abort, a denial and a missing capability, whatever the error says", () => {
    for (const code of ["aborted", "tool-denied", "capability-missing"] as const) {
      expect(classifyFailure(new AgentError(code, "x", { retryable: true })).retryable).toBe(false);
    }
    expect(verdict(new ToolPolicyError("no"))).toEqual({ code: "tool_denied", retryable: false });
  });

  it("REL-51 REL-52 is tool_failed for both ways a tool ends a run, retryable as the error is", () => {
    expect(verdict(new AgentError("tool-failed", "x", { retryable: true }))).toEqual({
      code: "tool_failed",
      retryable: true,
    });
    expect(verdict(new AgentError("tool-failed", "x"))).toEqual({ code: "tool_failed", retryable: false });
    expect(verdict(new ToolArgError("x"))).toEqual({ code: "tool_failed", retryable: false });
  });

  it("REL-46 REL-55 is judged by code and kind, never by words", () => {
    const words = "429 rate limit aborted content_filter invalid api key";
    expect(verdict(new Error(words))).toEqual({ code: "internal", retryable: false });
    const http = { status: 500, bodySnippet: words, providerName: "p", hint: "h", retryable: true } as const;
    expect(verdict(new LlmProviderHttpError({ ...http, kind: "overloaded" }))).toEqual({
      code: "provider_unavailable",
      retryable: true,
    });
  });

  it.each<[string, unknown]>([
    ["a denial", new ToolPolicyError("no")],
    ["a provider's failure", exhausted("rate-limit", true)],
    ["a tool's failure", new AgentError("tool-failed", "x", { retryable: true })],
    ["a value that is not an error", undefined],
  ])("REL-47 is cancelled once the signal has fired, over %s", (_what, error) => {
    expect(classifyFailure(error, AbortSignal.abort())).toEqual({
      code: "cancelled",
      message: "the run was cancelled",
      retryable: false,
    });
    expect(classifyFailure(error, new AbortController().signal).code).not.toBe("cancelled");
  });

  it("REL-57 is internal for a code or a kind that a subclass brought", () => {
    for (const code of ["mine", "toString"])
      expect(verdict(new AgentError(code as AgentErrorCode, "x")).code).toBe("internal");
    const kind = "constructor" as LlmErrorKind;
    expect(verdict(new AgentError("provider-response", "x", { kind })).code).toBe("internal");
  });

  it.each([
    ["turns", "the agent reached its limit of 16 turns"],
    ["toolCalls", "the agent reached its limit of 16 tool calls"],
    ["tokens", "the agent reached its limit of 16 tokens"],
    ["costUsd", "the agent reached its limit of 16 USD"],
  ] as const)("REL-56 is turn_limit for the cap %s, not retryable", (cap, message) => {
    expect(limitFailure(cap, 16)).toEqual({ code: "turn_limit", message, retryable: false });
  });
});

describe("the message of a failure", () => {
  it("is that of the error, bounded, on one line and without keys", () => {
    expect(classifyFailure(new Error("the host\nis down")).message).toBe("the host is down");
    expect(classifyFailure(new Error("x".repeat(9_000))).message).toHaveLength(500);
    expect(classifyFailure(new Error("refused sk-test-0123456789abcdef")).message).toBe("refused ***");
    expect(classifyFailure("plain").message).toBe("plain");
  });
});
