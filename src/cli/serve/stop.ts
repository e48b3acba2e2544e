// Waiting for Ctrl-C, a polite kill, or the terminal's end.

/** A wait that can be ended. */
export interface Stop {
  readonly stopped: Promise<void>;
  /** Ends the wait from inside, as a signal would. */
  readonly now: () => void;
}

/** Resolves at the first SIGINT, SIGTERM or SIGHUP; a second one ends the process as usual. */
export function untilSignal(): Stop {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let resolve: () => void = () => undefined;
  const stopped = new Promise<void>((settle) => (resolve = settle));
  const now = (): void => {
    for (const signal of signals) process.off(signal, now);
    resolve();
  };
  for (const signal of signals) process.on(signal, now);
  return { stopped, now };
}
