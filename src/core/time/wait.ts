// Waiting by the timer of the ports, which a test moves by hand. A wait ends early in one way only: the caller's abort.

import { MAX_TIMER_MS, type Ports } from "../ports.js";
import { abortedError } from "../http/deadline.js";

/** Resolves after `ms` milliseconds; rejects with `aborted`, and stops its timer, when `signal` fires first. */
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
