// Cases about calls that fail, and about calls that are never answered.

import { AgentError, type AgentErrorCode, type LlmTurnRequest } from "../../../core/index.js";
import { describeThrown, isError } from "../../contract/thrown.js";
import { ask, waysOf, watch, type Way } from "./ask.js";
import { assertSame, fail, rejection, type ProviderCheck, type ProviderSubject } from "../case.js";

/** For a provider of which every call fails. */
export const failureCases = {
  async "fails by a rejection with an Error"(subject) {
    const error = await rejection("a turn that fails", call(subject, "turn"));
    if (!isError(error)) fail("what it rejects with", describeThrown(error), "an Error");
  },

  async "says by kind and retryable what a caller may do about a failure"(subject) {
    const error = await rejection("a turn that fails", call(subject, "turn"));
    if (!(error instanceof AgentError)) fail("what it rejects with", describe(error), "an AgentError");
    assertSame("the type of retryable", typeof error.retryable, "boolean");
    if (error.kind === undefined && OF_VENDORS.includes(error.code)) {
      fail(`kind of an error ${error.code}`, undefined, "an LlmErrorKind");
    }
  },

  async "fails again the same way, and does not hang or answer at the second call"(subject) {
    const first = await rejection("a turn that fails", call(subject, "turn"));
    const second = await rejection("the turn after it", call(subject, "turn"));
    assertSame("the second failure", describe(second), describe(first));
  },

  async "fails by stream as it does by turn"(subject) {
    if (subject.provider.stream === undefined) return;
    const turned = await rejection("a turn that fails", call(subject, "turn"));
    const streamed = await rejection("a stream that fails", call(subject, "stream"));
    assertSame("the failure of the stream", describe(streamed), describe(turned));
  },
} satisfies Record<string, ProviderCheck>;

/** For a provider that never answers. */
export const silenceCases = {
  async "ends a call that waits when its signal fires"(subject) {
    for (const way of waysOf(subject)) {
      const controller = new AbortController();
      const waiting = rejection(`a ${way} that was aborted`, call(subject, way, { signal: controller.signal }));
      const timer = setTimeout(() => controller.abort(), WAIT_MS);
      const error = await waiting.finally(() => clearTimeout(timer));
      if (!isError(error)) fail(`what the ${way} rejects with`, describeThrown(error), "an Error");
    }
  },

  async "ends a call that waits longer than its timeoutMs, and says so"(subject) {
    for (const way of waysOf(subject)) {
      const error = await rejection(`a ${way} without an answer`, call(subject, way, { timeoutMs: WAIT_MS }));
      assertSame(`the kind of the ${way}'s error`, (error as { kind?: unknown } | null | undefined)?.kind, "timeout");
    }
  },
} satisfies Record<string, ProviderCheck>;

const WAIT_MS = 20;

/** Failures that a vendor, or the way to it, had. */
const OF_VENDORS: readonly AgentErrorCode[] = ["provider-http", "provider-response", "timeout", "providers-exhausted"];

async function call(subject: ProviderSubject, way: Way, terms: Partial<LlmTurnRequest> = {}): Promise<unknown> {
  const request = { ...subject.requests.plain, ...terms };
  return way === "turn" ? ask(subject, request) : watch(subject, request);
}

function describe(error: unknown): string {
  if (error instanceof AgentError)
    return `${error.name} ${error.code} ${String(error.kind)} ${String(error.retryable)}`;
  return isError(error) ? error.name : typeof error;
}
