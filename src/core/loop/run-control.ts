// The parts of a run that all its conversations share.

import type { Ports } from "../ports.js";

/** Turns, visits and deltas between two pauses of a run. A pause takes about a millisecond with the system's timers. */
export const STEPS_PER_PAUSE = 5_000;

/** The receipts of a run. The loop must not go on without them. */
export interface RunReceipts {
  /** Throws `AgentError` `receipt-failed` once the chain is broken. */
  assertWhole(): void;
  /** Waits until each receipt of the run so far is signed and delivered. Rejects as `assertWhole` throws, or with `aborted`. */
  settle(): Promise<void>;
}

export interface RunControl {
  readonly pacer: Pacer;
  /** Absent without a signing key. */
  readonly receipts?: RunReceipts;
  /** Logs each call of the current turn that is not in the log yet. Set by the turn for an early end of the run. */
  closeCalls: (() => void) | undefined;
}

/** Lets timers fire in a run whose steps never wait for one, so that a timer can abort it. */
export class Pacer {
  readonly #ports: Pick<Ports, "timer">;
  #steps = 0;

  constructor(ports: Pick<Ports, "timer">) {
    this.#ports = ports;
  }

  /** Counts a step. Returns a promise to await once every {@link STEPS_PER_PAUSE} steps. */
  step(): Promise<void> | undefined {
    this.#steps += 1;
    if (this.#steps < STEPS_PER_PAUSE) return undefined;
    this.#steps = 0;
    return new Promise((resolve) => void this.#ports.timer(0, resolve));
  }
}
