// The stores of the processes, and of the bench itself, which looks at them from outside.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { openSqliteExecutionHost } from "playhead/host";

export const NAMESPACE = "agent:desk";
export const SESSIONS = ["ann", "ben", "cem", "dag", "eva", "fay"];

/**
 * Opens a host at a place: `{ file }`, or `{ url, schema }`, with `redis` if the runs go through BullMQ. A deaf host has no
 * dedicated connection, so it hears no wake-up.
 */
export async function openStore({ file, url, schema, redis, isDeaf = false }, options) {
  if (url === undefined) return { host: await openSqliteExecutionHost(file, options) };
  const { openPostgresExecutionHost } = await import("playhead/postgres");
  const database = isDeaf ? { pool: new pg.Pool({ connectionString: url, max: 8 }) } : url;
  const host = await persist(() => openPostgresExecutionHost(database, { ...options, schema }));
  if (redis === undefined) return { host };
  const { bullmqScheduler } = await import("playhead/bullmq");
  return { host, queue: () => persist(() => bullmqScheduler({ connection: redis, prefix: schema })) };
}

/** A server may be away for a moment. */
export async function persist(open) {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!error.retryable) throw error;
      await sleep(50);
    }
  }
}
