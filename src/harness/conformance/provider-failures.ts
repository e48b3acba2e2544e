// Cases about calls that fail, and about calls that are never answered.

import { AgentError, type AgentErrorCode, type LlmProviderAdapter, type LlmTurnRequest } from "../../core/index.js";
import { assertSame, fail, readAll, rejection, within, type ProviderCheck, type ProviderSubject } from "./verdict.js";

/** For a provider of which every call fails. */
export const failureCases: Record<string, ProviderCheck> = {
  async "fails by a rejection with an Error"(subject) {
    const error = await rejection("a turn that fails", call(subject, "turn"));
    if (!(error instanceof Error)) fail("what it rejects with", typeof error, "an Error");
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
};

/** For a provider that never answers. */
export const silenceCases: Record<string, ProviderCheck> = {
  async "ends a call that waits when its signal fires"(subject) {
    for (const way of waysOf(subject.provider)) {
      const controller = new AbortController();
      const waiting = rejection(`a ${way} that was aborted`, call(subject, way, { signal: controller.signal }));
      const timer = setTimeout(() => controller.abort(), WAIT_MS);
      const error = await waiting.finally(() => clearTimeout(timer));
      if (isImpatience(error)) throw error;
    }
  },

  async "ends a call that waits longer than its timeoutMs, and says so"(subject) {
    for (const way of waysOf(subject.provider)) {
      const error = await rejection(`a ${way} without an answer`, call(subject, way, { timeoutMs: WAIT_MS }));
      if (isImpatience(error)) throw error;
      assertSame(`the kind of the ${way}'s error`, (error as { kind?: unknown } | null)?.kind, "timeout");
    }
  },
};

const WAIT_MS = 20;

/** Failures that a vendor, or the way to it, had. */
const OF_VENDORS: readonly AgentErrorCode[] = ["provider-http", "provider-response", "timeout", "providers-exhausted"];

type Way = "turn" | "stream";

function waysOf(provider: LlmProviderAdapter): Way[] {
  return provider.stream === undefined ? ["turn"] : ["turn", "stream"];
}

async function call(subject: ProviderSubject, way: Way, terms: Partial<LlmTurnRequest> = {}): Promise<unknown> {
  const { provider, requests, patienceMs } = subject;
  const request = { ...requests.plain, ...terms };
  if (way === "turn") {
    return within(
      patienceMs,
      "the turn",
      Promise.resolve().then(() => provider.turn(request)),
    );
  }
  return readAll(provider.stream?.(request) ?? none(), subject);
}

async function* none() {}

/** The verdict of the suite itself that a call never ended. */
function isImpatience(error: unknown): boolean {
  return error instanceof Error && "expected" in error && "actual" in error;
}

function describe(error: unknown): string {
  if (error instanceof AgentError)
    return `${error.name} ${error.code} ${String(error.kind)} ${String(error.retryable)}`;
  return error instanceof Error ? error.name : typeof error;
}
