// Threads that several `doJobs` with one script and the same settings use in turn, so that only the first starts them.

import type { Worker } from "node:worker_threads";

export interface KeptThreads {
  readonly count: number;
  /** An idle thread, which the caller now owns. */
  take(): Worker | undefined;
  keep(worker: Worker): void;
  /** Ends the idle threads. */
  close(): Promise<void>;
}

export function keepThreads(): KeptThreads {
  const idle = new Set<Worker>();
  return {
    get count() {
      return idle.size;
    },
    take() {
      const [worker] = idle;
      if (worker === undefined) return undefined;
      idle.delete(worker);
      release(worker);
      return worker;
    },
    keep(worker) {
      release(worker);
      idle.add(worker);
      // A thread that dies while it is idle is not used again.
      worker.on("error", () => idle.delete(worker));
      worker.on("exit", () => idle.delete(worker));
    },
    async close() {
      await Promise.all([...idle].map((worker) => worker.terminate()));
    },
  };
}

/** Removes the listeners of its owner. A worker has listeners of its own, for other events, and hears nothing without them. */
function release(worker: Worker): void {
  for (const event of ["message", "messageerror", "error", "exit"]) worker.removeAllListeners(event);
}
