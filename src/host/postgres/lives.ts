// Life locks of hosts on PostgreSQL. A host without its lock is dead, unless the server has just started and nobody has one.

import { DEAD_MS, SERVER_START_MS } from "../limits.js";
import type { Lives } from "../durable/life.js";
import type { SqlValue } from "../sql/engine.js";
import type { Line } from "./connection/line.js";
import { lifeKeys } from "./lists.js";
import type { PgResult } from "./connection/types.js";

/** The prefix of the ids of hosts without a life lock, so that others do not take them for dead. If a random id has it, only its leases count. */
const NO_LOCK = "00000000";

export const toLocklessId = (hostId: string): string => NO_LOCK + hostId.slice(NO_LOCK.length);

export interface PostgresLivesTerms {
  readonly schema: string;
  readonly hostId: string;
  readonly line: Line | undefined;
  readonly query: (text: string, ...values: SqlValue[]) => Promise<PgResult>;
}

export function createPostgresLives({ schema, hostId, line, query }: PostgresLivesTerms): Lives {
  /** When each host was first seen without its lock. */
  const missing = new Map<string, number>();

  async function isAlive(id: string): Promise<boolean> {
    // Without a lock, only leases count. Without a line, this host sees no locks.
    if (line === undefined || id === hostId || id.startsWith(NO_LOCK)) return true;
    const { rows } = await query(
      `SELECT pg_try_advisory_xact_lock_shared($1::int, $2::int) AS is_free,
         extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) * 1000 AS up_ms`,
      ...lifeKeys(schema, id),
    );
    const [row] = rows;
    if (row?.["is_free"] !== true || Number(row["up_ms"]) < SERVER_START_MS) {
      missing.delete(id);
      return true;
    }
    const now = performance.now();
    const since = missing.get(id) ?? now;
    missing.set(id, since);
    if (now - since < DEAD_MS) return true;
    missing.delete(id);
    return false;
  }

  return {
    isAlive,
    count: async () => {
      if (line === undefined) return 1;
      // The view shows keys as unsigned numbers: https://www.postgresql.org/docs/current/view-pg-locks.html
      const { rows } = await query(
        `SELECT count(DISTINCT objid) AS hosts FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted
           AND mode = 'ExclusiveLock' AND classid::bigint = $1::bigint
           AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())`,
        lifeKeys(schema, hostId)[0] >>> 0,
      );
      return Number(rows[0]?.["hosts"]);
    },
    release: async () => line?.close(),
  };
}
