// A store of fleets in the tables of a database.

import { toHex, type Ports } from "../../../core/index.js";
import type { Lives } from "../../durable/life.js";
import { STORE_PAGE_ROWS } from "../../limits.js";
import { createValues } from "../../sql/codec.js";
import type { SqlEngine, SqlTransaction } from "../../sql/engine.js";
import type { FleetStore } from "../store.js";
import { nameHolder } from "./holders.js";
import { createStoredJob } from "./job.js";
import { jobHashOf, jobMissing, joinJob } from "./plan.js";
import { readResults, skipWaiting } from "./results.js";

export interface StoredFleetTerms {
  readonly engine: SqlEngine;
  readonly leaseMs: number;
  readonly ports: Pick<Ports, "randomBytes">;
  /** The store's life lock, and those of the others. Without them, only leases show that a machine has died. */
  readonly life?: { readonly lives: Lives; readonly storeId: string } | undefined;
}

export function createStoredFleets({ engine, leaseMs, ports, life }: StoredFleetTerms): FleetStore {
  const values = createValues(undefined);
  const lives = life?.lives;
  let isOpen = true;

  /** Locks the job, marks it as cancelled and runs `work`. Rejects if the job does not exist. */
  const change = (id: string, work: (sql: SqlTransaction, job: Uint8Array) => Promise<void>): Promise<void> =>
    engine.transaction(async (sql) => {
      const job = jobHashOf(id);
      await sql.lockList(job);
      if ((await sql.run("UPDATE fleet_jobs SET cancelled = 1 WHERE job_hash = ?", job)) === 0) throw jobMissing(id);
      await work(sql, job);
    });

  return {
    async open(plan) {
      await engine.transaction((sql) => joinJob(sql, plan));
      const holder = nameHolder(toHex(ports.randomBytes(16)), life?.storeId);
      return createStoredJob({ engine, values, plan, leaseMs, lives, holder });
    },
    async plans(jobId) {
      const rows = await engine.read((sql) =>
        jobId === undefined
          ? sql.all(NEWEST)
          : sql.all("SELECT plan_hash FROM fleet_jobs WHERE job_hash = ?", jobHashOf(jobId)),
      );
      return rows.map((row) => String(row["plan_hash"]));
    },
    async *results(jobId) {
      for await (const { cell } of readResults((work) => engine.read(work), values, jobHashOf(jobId))) yield cell;
    },
    async counts(jobId) {
      const [row = {}] = await engine.read((sql) => sql.all(COUNTS, jobHashOf(jobId)));
      const [total = 0, done = 0, failed = 0, skipped = 0, running = 0] = COUNTED.map((name) => Number(row[name]));
      if (total === 0) throw jobMissing(jobId);
      return { total, done, failed, skipped, running, waiting: total - done - failed - skipped - running };
    },
    cancel: (jobId) => change(jobId, (sql, job) => skipWaiting(sql, values, job, "aborted")),
    remove: (jobId) =>
      change(jobId, async (sql, job) => {
        for (const text of REMOVE) await sql.run(text, job);
      }),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await engine.close();
      await lives?.release();
    },
  };
}

const NEWEST = `SELECT plan_hash FROM fleet_jobs ORDER BY created_at DESC LIMIT ${STORE_PAGE_ROWS}`;
const COUNTED = ["total", "done", "failed", "skipped", "running"];
const COUNTS = `SELECT count(*) AS total, count(holder) AS running, count(CASE WHEN status = 'done' THEN 1 END) AS done,
  count(CASE WHEN status = 'failed' THEN 1 END) AS failed, count(CASE WHEN status = 'skipped' THEN 1 END) AS skipped
  FROM fleet_cells WHERE job_hash = ?`;
const REMOVE = ["fleet_steps", "fleet_cells", "fleet_jobs"].map((table) => `DELETE FROM ${table} WHERE job_hash = ?`);
