// The interface of a queue that passes due runs between processes. The store knows which runs are due, so a queue may lose and repeat runs.

import type { Ports } from "../../core/index.js";

/** Passes due runs between the workers of all processes. `bullmqScheduler` makes one. */
export interface DeliveryQueue {
  /** Called by `work`. */
  open(terms: QueueTerms): OpenQueue;
}

export interface QueueTerms {
  readonly namespaces: readonly string[];
  /** Maximum number of concurrent calls of `deliver`. */
  readonly concurrency: number;
  readonly ports: Ports;
  /** Delivers a run, unless the store says that it is no longer due. */
  readonly deliver: (runId: string) => Promise<void>;
}

export interface OpenQueue {
  /** Waits for room in the queue. Never rejects: a run that is lost, or that the queue does not take, is sent again. */
  send(run: { readonly runId: string; readonly ownerNamespace: string }): Promise<void>;
  /** Stops calling `deliver`. */
  pause(): void;
  /** Call it after `pause`, when the deliveries have ended. Never rejects. */
  close(): Promise<void>;
}
