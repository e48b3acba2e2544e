// Holds back signals while a temporary folder exists, so that no signal ends the process without removing it.

/** The signals that end a command. A child gets them before this process ends. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface HeldSignals {
  /** The first signal. */
  readonly caught: () => NodeJS.Signals | undefined;
  /** Lets signals end the process again. */
  readonly release: () => void;
}

export function holdSignals(): HeldSignals {
  let caught: NodeJS.Signals | undefined;
  const hold = (signal: NodeJS.Signals): void => void (caught ??= signal);
  for (const signal of ENDING_SIGNALS) process.on(signal, hold);
  return {
    caught: () => caught,
    release: () => {
      for (const signal of ENDING_SIGNALS) process.off(signal, hold);
    },
  };
}
