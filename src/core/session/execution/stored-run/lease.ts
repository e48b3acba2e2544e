// A lease, or the hold of an input that waits: renewed at a third of its time. No process works longer than its lease, also where the
// store cannot be reached.

import type { Ports } from "../../../ports.js";
import type { RunStatus, RunStore } from "../../ports/run-store.js";

export interface LeaseTerms {
  readonly runs: RunStore;
  readonly runId: string;
  readonly leaseId: string;
  readonly leaseMs: number;
  readonly ports: Pick<Ports, "timer">;
  /** Called once: the lease belongs to someone else or the run is over, or it ran out and the store was silent. */
  readonly lost: (status: RunStatus | "gone" | "expired") => void;
}

export class Lease {
  readonly #terms: LeaseTerms;
  #stopFence: () => void = () => undefined;
  #stopRenewal: () => void = () => undefined;
  #isOver = false;

  constructor(terms: LeaseTerms) {
    this.#terms = terms;
  }

  /** Call it before the store is asked for time, and what it returns with the answer. The time counts from before. */
  ask(): (isGiven: boolean) => void {
    this.#isOver = false;
    const { ports, leaseMs } = this.#terms;
    const stopNext = ports.timer(leaseMs, () => this.#lose("expired"));
    return (isGiven) => {
      if (!isGiven || this.#isOver) {
        stopNext();
        return;
      }
      this.stop();
      this.#isOver = false;
      this.#stopFence = stopNext;
      this.#stopRenewal = ports.timer(Math.ceil(leaseMs / 3), () => void this.#renew());
    };
  }

  stop(): void {
    this.#isOver = true;
    this.#stopFence();
    this.#stopRenewal();
  }

  async #renew(): Promise<void> {
    const { runs, runId, leaseId, leaseMs, ports } = this.#terms;
    const given = this.ask();
    try {
      const renewed = await runs.renew(runId, leaseId, leaseMs);
      given(renewed.ok);
      if (!renewed.ok) this.#lose(renewed.status);
    } catch {
      // The fence stands for a store that is silent.
      given(false);
      if (!this.#isOver) this.#stopRenewal = ports.timer(Math.ceil(leaseMs / 3), () => void this.#renew());
    }
  }

  #lose(status: RunStatus | "gone" | "expired"): void {
    if (this.#isOver) return;
    this.stop();
    this.#terms.lost(status);
  }
}
