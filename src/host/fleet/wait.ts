// Waiting that an abort cuts short.

import type { Ports } from "../../core/index.js";

/** Resolves after `ms` milliseconds, or as soon as `signal` fires. Never rejects. */
export function wait(ms: number, ports: Pick<Ports, "timer">, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      stop();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const stop = ports.timer(ms, end);
    signal.addEventListener("abort", end, { once: true });
  });
}

/** As `work` settles, or by a rejection with the signal's reason as soon as `signal` fires, whatever `work` does then. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
