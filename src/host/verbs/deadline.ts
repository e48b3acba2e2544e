// One signal for "the run was aborted" and "it took too long", which can tell the two apart and leaves nothing behind.

export interface Deadline {
  readonly signal: AbortSignal;
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
