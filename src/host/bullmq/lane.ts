// The queue of one namespace, with the part of a worker that takes from it.

import { sha256Hex, sleep, thrownText, within, type Ports } from "../../core/index.js";
import { MAX_CONNECT_MS, MAX_RECONNECT_MS, QUEUE_LOOK_MS, REDELIVERY_MS, ROLLBACK_MS } from "../limits.js";
import { connectionOf, type BullDriver, type BullJob, type BullSettings } from "./driver.js";

export interface LaneTerms {
  readonly driver: BullDriver;
  readonly settings: BullSettings;
  readonly concurrency: number;
  readonly ports: Ports;
  readonly process: (job: BullJob) => Promise<void>;
  /** Called with the text of each error, and without one when something succeeds. */
  readonly warn: (text?: string) => void;
}

export interface Lane {
  send(runId: string): Promise<void>;
  pause(): void;
  close(): Promise<void>;
}

export function openLane(namespace: string, terms: LaneTerms): Lane {
  const { driver, settings, concurrency, ports, process, warn } = terms;
  let isPaused = false;
  let isClosed = false;
  const connection = (isBlocking: boolean) => connectionOf(settings, () => isClosed, isBlocking);
  // BullMQ allows no `:` in names.
  const name = encodeURIComponent(namespace);
  const queue = new driver.Queue(name, { ...settings, connection: connection(false) });
  const worker = new driver.Worker(name, process, {
    ...{ ...settings, connection: connection(true), concurrency },
    // The store delivers the runs of a worker that died, long before its jobs count as stalled.
    maxStalledCount: 0,
    runRetryDelay: MAX_RECONNECT_MS,
  });
  for (const each of [queue, worker]) each.on("error", (error) => warn(thrownText(error)));
  const soon = <T>(work: Promise<T>): Promise<T> => within(work, MAX_CONNECT_MS, ports);

  /** False if the queue stays full. The store sends the run again, and a long queue would only hold repeated jobs. */
  async function hasRoom(): Promise<boolean> {
    for (let waited = 0; waited < REDELIVERY_MS && !isPaused; waited += QUEUE_LOOK_MS) {
      if ((await soon(queue.getWaitingCount())) < concurrency) return true;
      await sleep(QUEUE_LOOK_MS, ports);
    }
    return false;
  }

  return {
    async send(runId) {
      // The key expires by itself if the worker that takes the job dies before it removes the key.
      const deduplication = { id: sha256Hex(runId), ttl: 2 * REDELIVERY_MS };
      const options = { deduplication, removeOnComplete: true, removeOnFail: true };
      try {
        if (await hasRoom()) await soon(queue.add("run", { runId }, options));
        warn();
      } catch (error) {
        warn(thrownText(error));
      }
    },
    pause() {
      isPaused = true;
      worker.pause(true).catch(() => undefined);
    },
    async close() {
      isClosed = true;
      const isUp = await within(queue.getWaitingCount(), ROLLBACK_MS, ports).then(
        () => true,
        () => false,
      );
      // On a lost connection, a graceful end would wait for an answer of Redis.
      if (!isUp) queue.disconnect().catch(() => undefined);
      await Promise.all([worker.close(!isUp), isUp ? queue.close() : undefined]);
    },
  };
}
