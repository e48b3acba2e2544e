// What a run lends to the conversations that it drives, one after another.

import type { Ports } from "../ports.js";

/** Turns, visits and deltas between two pauses of a run. A pause takes about a millisecond where timers are the system's. */
export const STEPS_PER_PAUSE = 5_000;

/** The receipts of a run, for a loop that must not go on without them. */
export interface RunReceipts {
  /** Throws `AgentError` `receipt-failed` once the chain is broken. */
  assertWhole(): void;
  /** Waits until each receipt of the run so far is signed and delivered. Rejects as `assertWhole` throws, or with `aborted`. */
  settle(): Promise<void>;
}

/** Shared by all visits of one run. */
export interface RunControl {
  readonly pacer: Pacer;
  /** Absent without a signing key. */
  readonly receipts?: RunReceipts;
  /** Reports each call of the current turn that is not in the log yet. Set by the turn, for whoever ends the run early. */
  closeCalls: (() => void) | undefined;
}

/** Lets timers fire in a run whose steps never wait for one, so that a timer can abort it. */
export class Pacer {
  readonly #ports: Pick<Ports, "timer">;
  #steps = 0;

  constructor(ports: Pick<Ports, "timer">) {
    this.#ports = ports;
  }

  /** Counts a step. Gives a promise to wait for once every {@link STEPS_PER_PAUSE} steps. */
  step(): Promise<void> | undefined {
    this.#steps += 1;
    if (this.#steps < STEPS_PER_PAUSE) return undefined;
    this.#steps = 0;
    return new Promise((resolve) => void this.#ports.timer(0, resolve));
  }
}
