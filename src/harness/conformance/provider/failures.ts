// Cases about calls that fail, and calls that get no answer.

import { AgentError, type AgentErrorCode, type LlmTurnRequest } from "../../../core/index.js";
import { assertSame, fail, toClauses, type Clause } from "../../contract/clause.js";
import { describeThrown, isError } from "../../contract/thrown.js";
import { rejection } from "../../contract/waiting.js";
import { CONFORMANCE_ABORT_MS } from "../../limits.js";
import { ask, waysOf, watch, type ProviderSubject, type Way } from "./ask.js";

export const failureClauses: readonly Clause<ProviderSubject>[] = toClauses({
  "rejects with an Error on failure": {
    advice: "Reject with an AgentError.",
    async check(subject) {
      assertError("what it rejects with", await failureOf(subject, "turn"));
    },
  },
  "tells callers how to handle a failure, by kind and retryable": {
    advice: "Reject with new AgentError('provider-response', message, { kind, retryable }).",
    async check(subject) {
      const error = await failureOf(subject, "turn");
      if (!(error instanceof AgentError)) fail("what it rejects with", describe(error), "an AgentError");
      assertSame("the type of retryable", typeof error.retryable, "boolean");
      if (error.kind === undefined && OF_VENDORS.includes(error.code)) {
        fail(`kind of an error ${error.code}`, undefined, "an LlmErrorKind");
      }
    },
  },
  "fails the same way on the second call, without hanging or answering": {
    advice: "Let each call fail independently, and keep no state of a failed call.",
    async check(subject) {
      const first = await failureOf(subject, "turn");
      const second = await failureOf(subject, "turn");
      assertSame("the second failure", describe(second), describe(first));
    },
  },
  "fails the same way in stream and turn": {
    advice: "Use the same code for the errors of turn and stream.",
    async check(subject) {
      if (subject.provider.stream === undefined) return;
      const turned = await failureOf(subject, "turn");
      const streamed = await failureOf(subject, "stream");
      assertSame("the failure of the stream", describe(streamed), describe(turned));
    },
  },
});

export const silenceClauses: readonly Clause<ProviderSubject>[] = toClauses({
  "ends a waiting call when its signal fires": {
    advice: "Listen to request.signal until the call is over, and pass it to fetch.",
    async check(subject) {
      for (const way of waysOf(subject)) {
        const controller = new AbortController();
        const waiting = failureOf(subject, way, { signal: controller.signal });
        const timer = setTimeout(() => controller.abort(), CONFORMANCE_ABORT_MS);
        assertError(`what the ${way} rejects with`, await waiting.finally(() => clearTimeout(timer)));
      }
    },
  },
  "ends a waiting call after its timeoutMs, with a timeout error": {
    advice:
      "Reject after request.timeoutMs with new AgentError('timeout', message, { kind: 'timeout', retryable: true }).",
    async check(subject) {
      for (const way of waysOf(subject)) {
        const error = await failureOf(subject, way, { timeoutMs: CONFORMANCE_ABORT_MS });
        assertSame(`the kind of the ${way}'s error`, (error as { kind?: unknown } | null | undefined)?.kind, "timeout");
      }
    },
  },
});

/** Failures of a vendor, or of the connection to it. */
const OF_VENDORS: readonly AgentErrorCode[] = ["provider-http", "provider-response", "timeout", "providers-exhausted"];

function failureOf(subject: ProviderSubject, way: Way, terms: Partial<LlmTurnRequest> = {}): Promise<unknown> {
  const request = { ...subject.requests.plain, ...terms };
  return rejection(`a ${way} that must fail`, way === "turn" ? ask(subject, request) : watch(subject, request));
}

export function assertError(what: string, error: unknown): void {
  if (!isError(error)) fail(what, describeThrown(error), "an Error");
}

function describe(error: unknown): string {
  if (error instanceof AgentError)
    return `${error.name} ${error.code} ${String(error.kind)} ${String(error.retryable)}`;
  return isError(error) ? error.name : typeof error;
}
