// Waits for Ctrl-C, SIGTERM or the end of the terminal.

/** Further signals within this time count as echoes of the first: terminals and supervisors send several. */
const ECHO_MS = 2000;

export interface Stop {
  readonly stopped: Promise<void>;
  /** Ends the wait, and lets signals end the process again. */
  readonly now: () => void;
}

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP, so that there is time to write files. Echoes are ignored. A signal that comes
 * {@link ECHO_MS} later ends the process at once.
 */
export function untilSignal(): Stop {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let resolve: () => void = () => undefined;
  const stopped = new Promise<void>((done) => (resolve = done));
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
