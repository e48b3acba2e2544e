// The end that hangs over one running tool: its own time limit and the run's signal. A tool that heeds neither is left
// behind; what it gives or throws after that is dropped. A tool that returns at once pays for none of this.

import { AgentError } from "../errors.js";
import { MAX_TIMER_MS } from "../limits.js";
import { abortError } from "./abort.js";
import type { Ports } from "../ports.js";
import { isThenable } from "../time/wait.js";

export interface ToolDeadline {
  /** The run's. */
  readonly signal: AbortSignal;
  /** Above 0; Infinity for no limit. */
  readonly timeoutMs: number;
  readonly ports: Pick<Ports, "timer">;
}

/** Gives a call its own signal, made when it is asked for: few tools look at it. */
export class CallSignal {
  readonly #run: AbortSignal;
  #controller: AbortController | undefined;
  #ended: { reason: unknown } | undefined;

  constructor(run: AbortSignal) {
    this.#run = run;
  }

  /** Fires when the call's time is up, and with the run's, also after the call: what a tool left running is to end with the run. */
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

/** Calls `start` with the call's own signal. What it gives at once is given at once; a promise settles as `settleWithin` says. */
export function callWithin(start: (own: CallSignal) => unknown, deadline: ToolDeadline): unknown {
  const own = new CallSignal(deadline.signal);
  const value = start(own);
  return isThenable(value) ? settleWithin(value, deadline, (reason) => own.end(reason)) : value;
}

/** A controller that fires with `signal`, and is kept as long as that is: a run's signal ends with the run. */
function follow(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else watchAbort(signal, () => controller.abort(signal.reason));
  return controller;
}

/** As `work` settles, unless the deadline comes first: then `stop` gets the reason, and it rejects with `timeout` or `aborted`. */
export function settleWithin<T>(
  work: PromiseLike<T>,
  deadline: ToolDeadline,
  stop: (reason: unknown) => void = () => undefined,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let isSettled = false;
    let disarm: (() => void) | undefined;
    // Settling twice does nothing, so what comes late is dropped here, a rejection as well.
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
    // Work that is done already settles first: it pays for no timer and no listener.
    void ALREADY.then(() => {
      if (!isSettled) disarm = arm(deadline, end);
    });
  });
}

const ALREADY = Promise.resolve();

/** Calls `end` when time is up or the signal fires, unless the returned function is called first. */
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

const watches = new WeakMap<AbortSignal, Watch>();

/** Calls `fire` when `signal` fires, unless undone. All calls of a run share one listener, since Node warns of a leak at eleven. */
function watchAbort(signal: AbortSignal, fire: () => void): () => void {
  const watch = watches.get(signal) ?? startWatch(signal);
  watch.fires.add(fire);
  return () => {
    if (!watch.fires.delete(fire) || watch.fires.size > 0) return;
    watches.delete(signal);
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
  watches.set(signal, watch);
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

/** A delay beyond what a timer takes is waited for in pieces. */
function startTimer(ports: Pick<Ports, "timer">, ms: number, fire: () => void): () => void {
  if (ms === Infinity) return () => undefined;
  let cancel: () => void = () => undefined;
  const wait = (left: number) => {
    cancel = ports.timer(Math.min(left, MAX_TIMER_MS), left > MAX_TIMER_MS ? () => wait(left - MAX_TIMER_MS) : fire);
  };
  wait(ms);
  return () => cancel();
}
