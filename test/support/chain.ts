// A fallback chain without real time. Its sleeps move its clock, and everything it does is kept.

import { AgentError, LlmProviderHttpError, type LlmErrorKind } from "../../src/core/errors.js";
import type { LlmProviderAdapter, LlmTurnRequest } from "../../src/core/model/provider.js";
import type { FallbackAttempt } from "../../src/core/providers/fallback/failure.js";
import type { FallbackEntry } from "../../src/core/providers/fallback/entry.js";
import { fallbackProvider, type FallbackOptions } from "../../src/core/providers/fallback.js";
import { scriptedProvider, type ScriptStep } from "../../src/core/providers/scripted.js";

/** A provider that plays `steps`, keeps its requests, and gives no answer after the last step. */
export function player(name: string, steps: readonly ScriptStep[]) {
  const script = scriptedProvider(steps);
  const asked: LlmTurnRequest[] = [];
  const provider: LlmProviderAdapter = {
    name,
    turn(request) {
      asked.push({ ...request, messages: [...request.messages] });
      return script.turn(request);
    },
  };
  return { ...provider, asked };
}

/** A step that fails with a status, as a vendor's adapter does. */
export function fail(kind: LlmErrorKind, options: { retryAfterMs?: number } = {}): ScriptStep {
  const retryable = ["rate-limit", "overloaded", "unavailable", "timeout"].includes(kind);
  return () => {
    throw new LlmProviderHttpError({
      ...{ status: 500, bodySnippet: kind, providerName: "p", hint: "h", retryable, kind },
      ...options,
    });
  };
}

/** A step that fails without a kind, like an error that is not a vendor's. */
export function failWith(error: unknown = new AgentError("invalid-options", "no")): ScriptStep {
  return () => {
    throw error;
  };
}

export function chainOf(entries: readonly FallbackEntry[], options: FallbackOptions = {}) {
  const attempts: FallbackAttempt[] = [];
  const slept: number[] = [];
  const warnings: string[] = [];
  const clock = { now: 1_000_000 };
  const chain = fallbackProvider(entries, {
    onAttempt: (attempt) => void attempts.push(attempt),
    async sleep(ms) {
      slept.push(ms);
      clock.now += ms;
    },
    ports: { now: () => clock.now, warn: (text) => void warnings.push(text) },
    ...options,
  });
  /** Attempts as `name outcome`, in their order. */
  const walked = () => attempts.map(({ provider, outcome }) => `${provider} ${outcome}`);
  return { chain, attempts, slept, warnings, clock, walked };
}
