// The two ways a call ends before its answer is there: the caller's signal and the call's own time limit. Whichever comes
// first is the reason, and both tear down the same fetch.

import { AgentError, invalidOptions } from "../errors.js";
import { MAX_TIMER_MS, type Ports } from "../ports.js";
import { showValue } from "../text/show.js";

/** The end that hangs over one call. */
export interface Deadline {
  /** Fires on either; handed to fetch. */
  readonly signal: AbortSignal;
  /** Rejects on either, so that a transport which ignores its signal cannot hold the caller. */
  readonly reached: Promise<never>;
  /** Why it fired, or undefined while it has not. */
  reason(): AgentError | undefined;
  /** Gives the whole limit to the wait that begins now; for a stream, whose limit is one of silence. */
  restart(): void;
  /** Stops the clock while nobody waits. */
  pause(): void;
  /** Forgets timer and listener. Call it once the call has settled. */
  clear(): void;
}

/** What can end a call early. */
export interface DeadlineTerms {
  providerName: string;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** What `timeoutMs` bounds: the whole answer, or each wait for more of it. Default the whole. */
  bounds?: "answer" | "silence";
}

/** Starts the clock of one call. Throws at once when the caller's signal has fired already. */
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
    // First the reason, then the teardown: whoever waits learns why, and not how the transport broke.
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

/** The refusal of a call whose signal has fired. */
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
    "Give a positive, finite number of milliseconds, or leave it out.",
  );
}
