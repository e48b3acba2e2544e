// Ends a running tool by its time limit and by the run's signal. If a tool ignores both, the run goes on without it, and its later
// result or error is dropped. A tool that returns synchronously pays nothing for this.

import { AgentError } from "../errors.js";
import { MAX_TIMER_MS } from "../limits.js";
import { abortError } from "./abort.js";
import type { Ports } from "../ports.js";
import { createPrivateField } from "../properties.js";
import { isThenable } from "../time/wait.js";

export interface ToolDeadline {
  /** The run's signal. */
  readonly signal: AbortSignal;
  /** Time limit in milliseconds, above 0. Infinity for no limit. */
  readonly timeoutMs: number;
  readonly ports: Pick<Ports, "timer">;
}

/** The signal of one call, created on first use, since few tools read it. */
export class CallSignal {
  readonly #run: AbortSignal;
  #controller: AbortController | undefined;
  #ended: { reason: unknown } | undefined;

  constructor(run: AbortSignal) {
    this.#run = run;
  }

  /** Fires when the call's time is up or the run's signal fires, even after the call, to end work that the tool left running. */
  get signal(): AbortSignal {
    this.#controller ??= follow(this.#run);
    if (this.#ended !== undefined) this.#controller.abort(this.#ended.reason);
    return this.#controller.signal;
  }

  end(reason: unknown): void {
    this.#ended = { reason };
    this.#controller?.abort(reason);
  }
}

/** Calls `start` with the call's own signal. Returns a plain value immediately. A promise settles as in `settleWithin`. */
export function callWithin(start: (own: CallSignal) => unknown, deadline: ToolDeadline): unknown {
  const own = new CallSignal(deadline.signal);
  const value = start(own);
  return isThenable(value) ? settleWithin(value, deadline, (reason) => own.end(reason)) : value;
}

/** Creates a controller that fires with `signal`. It lives as long as `signal`, and a run's signal ends with the run. */
function follow(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else watchAbort(signal, () => controller.abort(signal.reason));
  return controller;
}

/** Settles like `work`, unless the deadline comes first. Then it calls `stop` with the reason and rejects with `timeout` or `aborted`. */
export function settleWithin<T>(
  work: PromiseLike<T>,
  deadline: ToolDeadline,
  stop: (reason: unknown) => void = () => undefined,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let isSettled = false;
    let disarm: (() => void) | undefined;
    // Settling twice does nothing, so late results and rejections are dropped here.
    const settle = (how: () => void) => {
      isSettled = true;
      disarm?.();
      how();
    };
    const end = (error: AgentError, reason: unknown) => {
      settle(() => reject(error));
      stop(reason);
    };
    void Promise.resolve(work).then(
      (value) => settle(() => resolve(value)),
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- As the work rejects.
      (error: unknown) => settle(() => reject(error)),
    );
    // Work that is already done settles first, without a timer or a listener.
    void ALREADY.then(() => {
      if (!isSettled) disarm = arm(deadline, end);
    });
  });
}

const ALREADY = Promise.resolve();

/** Calls `end` when time is up or the signal fires. Calling the returned function cancels it. */
function arm(
  { signal, timeoutMs, ports }: ToolDeadline,
  end: (error: AgentError, reason: unknown) => void,
): (() => void) | undefined {
  const onAbort = () => end(abortError(signal), signal.reason);
  if (signal.aborted) {
    onAbort();
    return undefined;
  }
  const stopTimer = startTimer(ports, timeoutMs, () => {
    const error = timeoutError(timeoutMs);
    end(error, error);
  });
  const unwatch = watchAbort(signal, onAbort);
  return () => {
    stopTimer();
    unwatch();
  };
}

interface Watch {
  readonly fires: Set<() => void>;
  readonly onAbort: () => void;
}

const watchField = createPrivateField<Watch | undefined>();

/** Calls `fire` when `signal` fires, until undone. All calls of a run share one listener, since Node warns of a leak at eleven. */
function watchAbort(signal: AbortSignal, fire: () => void): () => void {
  const watch = watchField.get(signal) ?? startWatch(signal);
  watch.fires.add(fire);
  return () => {
    if (!watch.fires.delete(fire) || watch.fires.size > 0) return;
    watchField.set(signal, undefined);
    signal.removeEventListener("abort", watch.onAbort);
  };
}

function startWatch(signal: AbortSignal): Watch {
  const fires = new Set<() => void>();
  const onAbort = () => {
    for (const fire of [...fires]) fire();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const watch = { fires, onAbort };
  watchField.set(signal, watch);
  return watch;
}

export function isToolTimeout(timeoutMs: unknown): boolean {
  return typeof timeoutMs === "number" && timeoutMs > 0;
}

function timeoutError(timeoutMs: number): AgentError {
  return new AgentError("timeout", `the tool took longer than ${timeoutMs} ms`, {
    hint: "Raise timeoutMs of the tool or toolTimeoutMs of the agent; Infinity lifts the limit.",
    retryable: true,
  });
}

/** Starts a timer. Splits a delay that is too long for one timer into several. */
function startTimer(ports: Pick<Ports, "timer">, ms: number, fire: () => void): () => void {
  if (ms === Infinity) return () => undefined;
  let cancel: () => void = () => undefined;
  const wait = (left: number) => {
    cancel = ports.timer(Math.min(left, MAX_TIMER_MS), left > MAX_TIMER_MS ? () => wait(left - MAX_TIMER_MS) : fire);
  };
  wait(ms);
  return () => cancel();
}
