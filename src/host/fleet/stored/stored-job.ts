// The values that all parts of a stored job share.

import type { Lives } from "../../durable/life.js";
import type { Values } from "../../sql/codec.js";
import type { SqlClock, SqlEngine, SqlTransaction } from "../../sql/engine.js";
import type { FleetPlan } from "../store.js";
import type { Tokens } from "./tokens.js";

export interface StoredJob {
  readonly engine: SqlEngine;
  readonly values: Values;
  readonly plan: FleetPlan;
  readonly leaseMs: number;
  /** The life locks of the stores. Undefined if they have none. */
  readonly lives: Lives | undefined;
  /** The machine's part in this job, see `holders.ts`. No other one has the same name. */
  readonly holder: string;
  /** The hash of its id. */
  readonly job: Uint8Array;
  /** Undefined without a rate. */
  readonly tokens: Tokens | undefined;
  /** The number of members in the plan. */
  readonly members: number;
}

/** Locks the job, and its tokens if `work` takes one, and runs `work`. `clock` is the database's. */
export function withJob<T>(
  { engine, job, tokens }: StoredJob,
  work: (sql: SqlTransaction, clock: SqlClock) => Promise<T>,
  takes: "tokens" | "none" = "none",
): Promise<T> {
  return engine.transaction(async (sql) => {
    await sql.lockList(job, ...(takes === "tokens" && tokens !== undefined ? [tokens.list] : []));
    return work(sql, await sql.now());
  });
}
