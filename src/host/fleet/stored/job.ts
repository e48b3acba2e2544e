// A job in the tables, as one machine sees it.

import type { FleetJob } from "../store.js";
import { claimCell } from "./claims.js";
import { endDeadHolders } from "./holders.js";
import { jobHashOf, jobMissing, targetHashOf } from "./plan.js";
import { readCell, readResults, storeResult } from "./results.js";
import { createSteps } from "./steps.js";
import { withJob, type StoredJob } from "./stored-job.js";
import { createTokens } from "./tokens.js";

type StoredJobTerms = Pick<StoredJob, "engine" | "values" | "plan" | "leaseMs" | "lives" | "holder">;

export function createStoredJob(terms: StoredJobTerms): FleetJob {
  const { engine, values, plan, leaseMs, holder } = terms;
  const job = jobHashOf(plan.id);
  const tokens = plan.rate && createTokens(plan.rate);
  const members = new Set(plan.cells.map(({ member }) => member)).size;
  const stored: StoredJob = { ...terms, job, tokens, members };

  return {
    leaseMs,
    claim: (member) => withJob(stored, (sql, clock) => claimCell(stored, sql, clock, member), "tokens"),
    async takeToken(target) {
      if (tokens === undefined) return 0;
      const hash = targetHashOf(target);
      const take = async (...[sql, { leaseMs: now }]: Parameters<Parameters<typeof withJob>[1]>): Promise<number> => {
        const ms = await tokens.waitMs(sql, hash, now);
        if (ms === 0) await tokens.take(sql, hash, now);
        return ms;
      };
      return withJob(stored, take, "tokens");
    },
    renew: (leases) =>
      withJob(stored, async (sql, clock) => {
        for (const { id, attempt } of leases)
          await sql.run(RENEW, clock.leaseMs + leaseMs, job, id, holder, attempt - 1);
      }),
    settle: ({ id, attempt }, cell) =>
      withJob(stored, async (sql) => {
        if (await storeResult(sql, values, job, { place: id, holder, losses: attempt - 1 }, cell)) {
          await sql.run("DELETE FROM fleet_steps WHERE job_hash = ? AND place = ?", job, id);
          return cell;
        }
        const [row] = await sql.all(RESULT, job, id);
        if (row === undefined) throw jobMissing(plan.id);
        return row["status"] === null ? undefined : readCell(values, row);
      }),
    release: ({ id, attempt }) =>
      withJob(stored, async (sql) => {
        await sql.run(RELEASE, job, id, holder, attempt - 1);
      }),
    endDead: () => endDeadHolders(stored),
    settled: () => readResults((work) => engine.read(work), values, job),
    steps: (lease) => createSteps(stored, lease),
  };
}

const RENEW = `UPDATE fleet_cells SET lease_until = ?
  WHERE job_hash = ? AND place = ? AND holder = ? AND losses = ?`;
const RELEASE = `UPDATE fleet_cells SET holder = NULL, lease_until = NULL
  WHERE job_hash = ? AND place = ? AND holder = ? AND losses = ?`;
const RESULT = `SELECT place, names, status, result FROM fleet_cells
  WHERE job_hash = ? AND place = ?`;
