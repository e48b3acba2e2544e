// Waiting for Ctrl-C or a polite kill.

/** A wait that can be ended. */
export interface Stop {
  readonly stopped: Promise<void>;
  /** Ends the wait from inside, as a signal would. */
  readonly now: () => void;
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process as usual. */
export function untilSignal(): Stop {
  const signals = ["SIGINT", "SIGTERM"] as const;
  let resolve: () => void = () => undefined;
  const stopped = new Promise<void>((settle) => (resolve = settle));
  const now = (): void => {
    for (const signal of signals) process.off(signal, now);
    resolve();
  };
  for (const signal of signals) process.on(signal, now);
  return { stopped, now };
}
