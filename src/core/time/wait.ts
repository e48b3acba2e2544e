// Waiting that ends: after a time, at a time limit, or when a signal fires. Time passes by the ports' timer, which a test moves by hand.

import { AgentError } from "../errors.js";
import { MAX_TIMER_MS } from "../limits.js";
import type { Ports } from "../ports.js";

/** What is there at once, or later. */
export type Maybe<T> = T | Promise<T>;

type Timer = Pick<Ports, "timer">;

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** Goes on with a value, at once if it is there. */
export function andThen<T, R>(value: Maybe<T>, next: (value: T) => Maybe<R>): Maybe<R> {
  return isPromise(value) ? value.then<R>(next) : next(value);
}

function isPromise<T>(value: Maybe<T>): value is Promise<T> {
  return isThenable(value);
}

/** Resolves after `ms` milliseconds. Rejects with `aborted`, and stops its timer, when `signal` fires first. */
export function sleep(ms: number, ports: Timer, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new AgentError("aborted", "the wait was aborted", { cause: signal?.reason }));
    if (signal?.aborted === true) {
      abort();
      return;
    }
    const onAbort = () => {
      stop();
      abort();
    };
    const stop = ports.timer(Math.min(ms, MAX_TIMER_MS), () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Settles like `work`, or rejects with the result of `toError` after `ms` milliseconds. */
export async function within<T>(
  work: PromiseLike<T>,
  ms: number,
  ports: Timer,
  toError: () => unknown = () => new Error(`no answer within ${ms} ms`),
): Promise<T> {
  let stop: () => void = () => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- The caller names the error.
    stop = ports.timer(ms, () => reject(toError()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
  }
}

/** Settles like `work`, or rejects with the result of `toError` (default: the signal's reason) as soon as `signal` fires. */
export async function untilAborted<T>(
  work: PromiseLike<T>,
  signal: AbortSignal,
  toError: (signal: AbortSignal) => unknown = ({ reason }) => reason,
): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- The reason is whatever the caller gave.
    stop = () => reject(toError(signal));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
