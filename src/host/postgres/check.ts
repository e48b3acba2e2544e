// Problems of a server, of its settings and of its connections that endanger the guarantees of a host.

import { CLOCK_JUMP_MS, MIN_POOL_CONNECTIONS } from "../limits.js";
import type { HostFinding, SqlValue } from "../sql/engine.js";
import type { Line } from "./connection/line.js";
import type { PgPool, PgResult } from "./connection/types.js";

export interface CheckTerms {
  readonly schema: string;
  readonly pool: PgPool;
  readonly line: Line | undefined;
  /** The clock of the server minus the steady clock of this process, when the host was opened. */
  readonly openedMs: number;
}

type Query = (text: string, ...values: SqlValue[]) => Promise<PgResult>;

export async function findProblems(terms: CheckTerms, query: Query): Promise<readonly HostFinding[]> {
  const { schema, pool, line, openedMs } = terms;
  const { rows } = await query(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
       current_setting('synchronous_standby_names') AS standbys, "${schema}".now_ms() AS now_ms,
       (SELECT count(*) FROM pg_catalog.pg_stat_replication) AS replicas,
       (SELECT count(*) FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.indrelid
          WHERE c.relnamespace = $1::regnamespace AND NOT i.indisvalid) AS invalid`,
    `"${schema}"`,
  );
  const [row = {}] = rows;
  const most = pool.options?.max;
  const jumpMs = Math.abs(clockOffset(Number(row["now_ms"])) - openedMs);
  const findings: (HostFinding | false)[] = [
    (row["fsync"] !== "on" || row["pages"] !== "on") && {
      ...{ level: "error", code: "fsync-off" },
      message: "commits may not reach the disk: turn on `fsync` and `full_page_writes` of the server",
    },
    Number(row["replicas"]) > 0 &&
      row["standbys"] === "" && {
        ...{ level: "warning", code: "async-commit" },
        message: "a standby may miss the last commits when it takes over: `synchronous_standby_names` is empty",
      },
    line?.isUp() !== true && {
      ...{ level: "warning", code: "no-life-lock" },
      message: "this host has no life lock, so its death is found only when its leases expire",
    },
    Number(row["invalid"]) > 0 && {
      ...{ level: "error", code: "integrity" },
      message: `${String(row["invalid"])} indexes are invalid: rebuild them with REINDEX`,
    },
    most !== undefined &&
      most < MIN_POOL_CONNECTIONS && {
        ...{ level: "warning", code: "pool-too-small" },
        message: `the pool has ${most} connections, but a host needs at least ${MIN_POOL_CONNECTIONS}: raise its \`max\``,
      },
    jumpMs > CLOCK_JUMP_MS && {
      ...{ level: "warning", code: "clock-jump" },
      message: `the clock of the server has moved by ${Math.round(jumpMs)} ms against a steady clock since the host was opened`,
    },
  ];
  return findings.filter((finding) => finding !== false);
}

/** The clock of the server minus the steady clock of this process. It changes only if the server's clock is set. */
export function clockOffset(serverMs: number): number {
  return serverMs - performance.now();
}
