// A queue of BullMQ on Redis. The store of the host decides what is due and who works on it, so a Redis that loses everything loses no run.

import { assertKnownOptions, invalidOptions, isStoreId, showValue, systemPorts } from "../../core/index.js";
import type { DeliveryQueue } from "../durable/queue.js";
import { assertReachable, loadBullmq } from "./driver.js";
import { openLanes } from "./lanes.js";

/** The options of {@link bullmqScheduler}. */
export interface BullmqSchedulerOptions {
  /** `redis://…` or `rediss://…`, the options of `ioredis`, or a client that BullMQ accepts. */
  readonly connection: string | object;
  /** Begins every key in Redis. Give each store a prefix of its own. Default `{playhead}`, which a cluster keeps on one node. */
  readonly prefix?: string;
}

/**
 * Connects to Redis or Valkey through BullMQ, for the option `queue` of `work`. Rejects with `AgentError`: `invalid-options`,
 * `capability-missing` if `bullmq` is not installed, and `store-failed` if Redis cannot be used.
 */
export async function bullmqScheduler(options: BullmqSchedulerOptions): Promise<DeliveryQueue> {
  assertKnownOptions("bullmqScheduler", options, ["connection", "prefix"]);
  const { connection, prefix = "{playhead}" } = options;
  assertConnection(connection);
  if (!isStoreId(prefix)) throw invalidOptions(`prefix is ${showValue(prefix)}`, "Pass text, such as `{shop}`.");
  const settings = { connection: typeof connection === "string" ? { url: connection } : connection, prefix };
  const driver = await loadBullmq(settings.connection);
  await assertReachable(driver, settings, systemPorts);
  return { open: (terms) => openLanes(driver, settings, terms) };
}

function assertConnection(connection: unknown): asserts connection is string | object {
  const hint = "Pass `redis://user:password@host:port`, or the options of ioredis.";
  if (typeof connection === "string") {
    // The text may hold a password.
    if (/^rediss?:\/\//.test(connection) && URL.canParse(connection)) return;
    throw invalidOptions("the connection is not an address that begins with redis:// or rediss://", hint);
  }
  const isObject = typeof connection === "object" && connection !== null && !Array.isArray(connection);
  if (!isObject) throw invalidOptions(`connection is ${showValue(connection)}`, hint);
  // BullMQ on PostgreSQL relies on the clocks of its clients, so a wrong clock takes runs from live workers.
  if (!["pool", "connectionString", "query"].some((name) => name in connection)) return;
  throw invalidOptions("connection leads to PostgreSQL", `${hint} On PostgreSQL alone, omit the queue.`);
}
