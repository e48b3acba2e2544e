// A signal before, between or after the lives of our children must not end us while our folder is there.

/** The signals that end a command, and that a child must have heard of before we end. */
export const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface HeldSignals {
  /** The first one that came. */
  readonly caught: () => NodeJS.Signals | undefined;
  /** Lets signals end us again. */
  readonly release: () => void;
}

/** Begins to hold them back. */
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
