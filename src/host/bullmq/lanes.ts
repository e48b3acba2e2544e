// One queue of BullMQ for each namespace, so that a worker is only given runs that it can execute.

import pLimit from "p-limit";
import { isStoreId, quoteForeign, within, type Ports } from "../../core/index.js";
import type { OpenQueue, QueueTerms } from "../durable/queue.js";
import { ROLLBACK_MS } from "../limits.js";
import type { BullDriver, BullJob, BullSettings } from "./driver.js";
import { openLane } from "./lane.js";

export function openLanes(driver: BullDriver, settings: BullSettings, terms: QueueTerms): OpenQueue {
  const { namespaces, concurrency, ports, deliver } = terms;
  const limit = pLimit(concurrency);
  const warn = createWarning(ports);

  async function process(job: BullJob): Promise<void> {
    // If the run becomes due again while it is executed, that is a new delivery.
    await job.removeDeduplicationKey();
    const { runId } = (job.data ?? {}) as { readonly runId?: unknown };
    if (isStoreId(runId)) await limit(() => deliver(runId));
    else warn("a job has no run id, so another program writes to the queue");
  }

  const open = (namespace: string) => openLane(namespace, { driver, settings, concurrency, ports, process, warn });
  const lanes = new Map(namespaces.map((namespace) => [namespace, open(namespace)]));
  return {
    send: async ({ runId, ownerNamespace }) => lanes.get(ownerNamespace)?.send(runId),
    pause() {
      for (const lane of lanes.values()) lane.pause();
    },
    async close() {
      const ends = [...lanes.values()].map((lane) => lane.close());
      await within(Promise.allSettled(ends), 2 * ROLLBACK_MS, ports).catch(() => warn("a connection did not close"));
    },
  };
}

/** Warns once about each kind of error until something succeeds. */
function createWarning(ports: Ports): (text?: string) => void {
  const warned = new Set<string>();
  return (text) => {
    const kind = text?.replace(/\d+/g, "#");
    if (kind === undefined) warned.clear();
    else if (!warned.has(kind)) {
      warned.add(kind);
      ports.warn(`the queue on Redis failed, and its runs are delivered later: ${quoteForeign(text ?? "")}`);
    }
  };
}
