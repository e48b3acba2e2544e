// The two ways to end a call early: the caller's signal and the time limit. The first one is the reason, and both abort the same fetch.

import { AgentError, invalidOptions } from "../errors.js";
import { MAX_TIMER_MS } from "../limits.js";
import type { Ports } from "../ports.js";
import { showValue } from "../text/show.js";

export interface Deadline {
  /** Fires on either. For fetch. */
  readonly signal: AbortSignal;
  /** Rejects on either, so that a transport that ignores its signal cannot hold the caller. */
  readonly reached: Promise<never>;
  reason(): AgentError | undefined;
  /** Starts the whole limit again, for a stream, whose limit bounds the silence. */
  restart(): void;
  pause(): void;
  /** Removes timer and listener. To be called when the call is over. */
  clear(): void;
}

export interface DeadlineTerms {
  providerName: string;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Whether `timeoutMs` bounds the whole answer, or each wait for more of it. Default the whole. */
  bounds?: "answer" | "silence";
}

/** Starts the clock of one call. Throws if the caller's signal has already fired. */
export function startDeadline(terms: DeadlineTerms, ports: Ports): Deadline {
  const { providerName, signal, timeoutMs, bounds = "answer" } = terms;
  assertTimeout(timeoutMs);
  if (signal?.aborted === true) throw abortedError(providerName, signal);

  const controller = new AbortController();
  let reason: AgentError | undefined;
  let reject: (error: AgentError) => void = () => undefined;
  const reached = new Promise<never>((_, refuse) => (reject = refuse));
  const end = (error: AgentError) => {
    reason ??= error;
    // The reason comes before the abort, so that waits reject with it and not with the transport's error.
    reject(reason);
    controller.abort(reason);
  };

  const onAbort = () => end(abortedError(providerName, signal));
  signal?.addEventListener("abort", onAbort, { once: true });
  let stopTimer: (() => void) | undefined;
  const pause = () => stopTimer?.();
  const restart = () => {
    pause();
    if (timeoutMs === undefined) return;
    const late = () => end(timeoutError(providerName, timeoutMs, bounds));
    stopTimer = ports.timer(Math.min(timeoutMs, MAX_TIMER_MS), late);
  };
  restart();

  return {
    signal: controller.signal,
    reached,
    reason: () => reason,
    restart,
    pause,
    clear() {
      pause();
      signal?.removeEventListener("abort", onAbort);
    },
  };
}

export function abortedError(providerName: string, signal?: AbortSignal): AgentError {
  return new AgentError("aborted", `the call to ${providerName} was aborted`, { cause: signal?.reason as unknown });
}

function timeoutError(providerName: string, timeoutMs: number, bounds: "answer" | "silence"): AgentError {
  const what = bounds === "answer" ? `gave no whole answer within ${timeoutMs} ms` : `sent nothing for ${timeoutMs} ms`;
  return new AgentError("timeout", `${providerName} ${what}`, {
    hint: "Retry, or raise timeoutMs.",
    kind: "timeout",
    retryable: true,
  });
}

function assertTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || (Number.isFinite(timeoutMs) && timeoutMs > 0)) return;
  throw invalidOptions(
    `timeoutMs is ${showValue(timeoutMs)}`,
    "Pass a positive, finite number of milliseconds, or omit it.",
  );
}
