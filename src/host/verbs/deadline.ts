// One signal for an aborted run and for a timeout, which can tell the two apart.

interface Deadline {
  readonly signal: AbortSignal;
  /** True once the time is up. */
  isOver(): boolean;
  /** Must be called when the work is done. */
  stop(): void;
}

export function startDeadline(outer: AbortSignal, ms: number): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const onAbort = () => controller.abort(outer.reason);
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort();
  }, ms);
  if (outer.aborted) onAbort();
  else outer.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    isOver: () => isOver,
    stop() {
      clearTimeout(timer);
      outer.removeEventListener("abort", onAbort);
    },
  };
}

/** Rejects with the signal's reason when it fires, for a race with work that may ignore it. */
export function fired(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    // The reason can be any value.
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
