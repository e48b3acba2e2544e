// A wait by the timer of the ports, which tests control. Only the caller's abort ends it early.

import { MAX_TIMER_MS, type Ports } from "../ports.js";
import { abortedError } from "./deadline.js";

/** Resolves after `ms` milliseconds. Rejects with `aborted`, and stops its timer, if `signal` fires first. */
export function sleep(ms: number, ports: Pick<Ports, "timer">, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(abortedError("a wait", signal));
      return;
    }
    const onAbort = () => {
      stop();
      reject(abortedError("a wait", signal));
    };
    const stop = ports.timer(Math.min(ms, MAX_TIMER_MS), () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
