// Waiting for Ctrl-C, a polite kill, or the terminal's end.

/** How long after the first signal further ones are taken for echoes of it: terminals and supervisors send several. */
const ECHO_MS = 2000;

/** A wait that can be ended. */
export interface Stop {
  readonly stopped: Promise<void>;
  /** Ends the wait from inside, and lets signals end the process again. */
  readonly now: () => void;
}

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP, which leaves time to write what is to be written. Echoes of it are
 * swallowed; one that comes {@link ECHO_MS} later ends the process at once.
 */
export function untilSignal(): Stop {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let resolve: () => void = () => undefined;
  const stopped = new Promise<void>((settle) => (resolve = settle));
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    firstAt ??= Date.now();
    resolve();
    if (Date.now() - firstAt <= ECHO_MS) return;
    now();
    process.kill(process.pid, signal);
  };
  const now = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
    resolve();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return { stopped, now };
}
