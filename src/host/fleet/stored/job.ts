// A job in the tables, as one machine sees it. Every transaction locks the job first. The database's clock decides about claims.

import { AgentError } from "../../../core/index.js";
import { FLEET_LOOK_MS, MAX_CELL_LOSSES } from "../../limits.js";
import type { Values } from "../../sql/codec.js";
import type { SqlEngine, SqlTransaction } from "../../sql/engine.js";
import { hashNames } from "../../sql/names.js";
import type { FleetCell } from "../cell.js";
import type { CellClaim, CellLease, FleetJob, FleetPlan, FleetStep } from "../store.js";
import { jobHashOf, jobMissing, laneOfMember, targetHashOf } from "./plan.js";
import { readCell, readResults, skipWaiting, storeResult } from "./results.js";
import { createTokens } from "./tokens.js";

export interface StoredJobTerms {
  readonly engine: SqlEngine;
  readonly values: Values;
  readonly plan: FleetPlan;
  readonly leaseMs: number;
  /** The machine's part in this job. No other one has the same name. */
  readonly holder: string;
}

export function createStoredJob({ engine, values, plan, leaseMs, holder }: StoredJobTerms): FleetJob {
  const job = jobHashOf(plan.id);
  const tokens = plan.rate && createTokens(plan.rate);
  const members = new Set(plan.cells.map(({ member }) => member)).size;
  // So a machine looks at most a hundred times a second, however many members it has.
  const lookMs = Math.max(FLEET_LOOK_MS, members * 10);

  /** Runs `work` with the job locked, at the time `now`. */
  const locked = <T>(
    work: (sql: SqlTransaction, now: number) => Promise<T>,
    ...lists: readonly Uint8Array[]
  ): Promise<T> =>
    engine.transaction(async (sql) => {
      await sql.lockList(job, ...lists);
      return work(sql, (await sql.now()).leaseMs);
    });
  const rateLists = tokens === undefined ? [] : [tokens.list];

  async function claim(sql: SqlTransaction, now: number, member: string): Promise<CellClaim> {
    const lanes = [laneOfMember(member), laneOfMember()] as const;
    const [row] = await sql.all("SELECT spent, cancelled FROM fleet_jobs WHERE job_hash = ?", job);
    if (row === undefined) throw jobMissing(plan.id);
    await endLost(sql, now);
    const isOver = plan.limitUsd !== undefined && Number(row["spent"]) >= plan.limitUsd * MICRO_CENTS;
    if (Number(row["cancelled"]) === 1) await skipWaiting(sql, values, job, "aborted");
    else if (isOver) await skipWaiting(sql, values, job, "budget");
    const free = tokens?.free(now) ?? { text: "", values: [] };
    for (const lane of lanes) {
      const [cell] = await sql.all(
        `SELECT place, losses, target_hash FROM fleet_cells WHERE job_hash = ? AND lane = ? AND status IS NULL AND holder IS NULL
           ${free.text} ORDER BY place LIMIT 1`,
        ...[job, lane, ...free.values],
      );
      if (cell === undefined) continue;
      const [place, losses] = [Number(cell["place"]), Number(cell["losses"])];
      await sql.run(HOLD, holder, now + leaseMs, member, now, job, place);
      await tokens?.take(sql, cell["target_hash"] as Uint8Array, now);
      return { kind: "claimed", id: place, attempt: losses + 1 };
    }
    const [open] = await sql.all(OPEN, job, ...lanes);
    if (Number(open?.["open"]) === 0) return { kind: "empty" };
    const isWaiting = Number(open?.["open"]) > Number(open?.["held"]);
    return { kind: "later", ms: isWaiting && tokens ? Math.min(lookMs, await tokens.nextMs(sql, now)) : lookMs };
  }

  /** Ends the claims of lost workers, and fails the cells that lost too many. */
  async function endLost(sql: SqlTransaction, now: number): Promise<void> {
    if ((await sql.run(EXPIRE, job, now)) === 0) return;
    for (const row of await sql.all(LOST, job, MAX_CELL_LOSSES)) {
      const place = Number(row["place"]);
      const { target = "" } = plan.cells[place] ?? {};
      const lost: FleetCell = {
        ...{ status: "failed", member: String(row["begun_by"]), target, attempts: MAX_CELL_LOSSES },
        ...{ startedAt: Number(row["begun_at"]), endedAt: now },
        error: {
          code: "lost",
          message: `${MAX_CELL_LOSSES} workers were lost while they ran the cell`,
          hint: "Find out what ends their processes.",
          retryable: false,
        },
      };
      await storeResult(sql, values, job, place, lost);
    }
  }

  async function assertHeld(sql: SqlTransaction, { id, attempt }: CellLease): Promise<void> {
    const [row] = await sql.all(HELD, job, id, holder, attempt - 1);
    if (row === undefined)
      throw new AgentError(
        "lease-lost",
        `another machine has cell ${id} of job ${plan.id}, or this one was silent too long`,
        {
          hint: "Nothing of this attempt was stored.",
        },
      );
  }

  const steps = (lease: CellLease): FleetStep =>
    async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
      const hash = hashNames("step", name);
      const read = async (value: unknown): Promise<T> =>
        (value === null ? undefined : await values.toValue(`step ${name}`, String(value))) as T;
      const find = (sql: Pick<SqlTransaction, "all">) => sql.all(STEP, job, lease.id, hash);
      const [known] = await engine.read(find);
      if (known !== undefined) return read(known["value"]);
      const result: unknown = await work();
      const text = result === undefined ? null : await values.toText(`step ${name}`, result);
      return locked(async (sql) => {
        await assertHeld(sql, lease);
        const [stored] = await find(sql);
        if (stored !== undefined) return read(stored["value"]);
        await sql.run(STORE_STEP, job, lease.id, hash, text);
        return read(text);
      });
    };

  return {
    leaseMs,
    claim: (member) => locked((sql, now) => claim(sql, now, member), ...rateLists),
    async takeToken(target) {
      if (tokens === undefined) return 0;
      const hash = targetHashOf(target);
      return locked(
        async (sql, now) => {
          const ms = await tokens.waitMs(sql, hash, now);
          if (ms === 0) await tokens.take(sql, hash, now);
          return ms;
        },
        ...rateLists,
      );
    },
    renew: () => locked(async (sql, now) => void (await sql.run(RENEW, now + leaseMs, job, holder))),
    settle: ({ id }, cell) =>
      locked(async (sql) => {
        if (await storeResult(sql, values, job, id, cell)) {
          await sql.run("DELETE FROM fleet_steps WHERE job_hash = ? AND place = ?", job, id);
          return cell;
        }
        const [row] = await sql.all(RESULT, job, id);
        if (row === undefined) throw jobMissing(plan.id);
        return readCell(values, row);
      }),
    release: ({ id, attempt }) => locked(async (sql) => void (await sql.run(RELEASE, job, id, holder, attempt - 1))),
    settled: () => readResults((work) => engine.read(work), values, job),
    steps,
  };
}

const MICRO_CENTS = 100_000_000;
const HOLD = `UPDATE fleet_cells SET holder = ?, lease_until = ?, begun_by = ?, begun_at = ? WHERE job_hash = ? AND place = ?`;
const OPEN = `SELECT count(*) AS open, count(holder) AS held FROM fleet_cells
  WHERE job_hash = ? AND lane IN (?, ?) AND status IS NULL`;
const EXPIRE = `UPDATE fleet_cells SET holder = NULL, lease_until = NULL, losses = losses + 1
  WHERE job_hash = ? AND holder IS NOT NULL AND lease_until <= ?`;
const LOST = `SELECT place, begun_by, begun_at FROM fleet_cells
  WHERE job_hash = ? AND status IS NULL AND holder IS NULL AND losses >= ?`;
const HELD = `SELECT place FROM fleet_cells WHERE job_hash = ? AND place = ? AND holder = ? AND losses = ?`;
const RENEW = `UPDATE fleet_cells SET lease_until = ? WHERE job_hash = ? AND holder = ?`;
const RELEASE = `UPDATE fleet_cells SET holder = NULL, lease_until = NULL
  WHERE job_hash = ? AND place = ? AND holder = ? AND losses = ?`;
const RESULT = `SELECT place, names, status, result FROM fleet_cells WHERE job_hash = ? AND place = ? AND status IS NOT NULL`;
const STEP = `SELECT value FROM fleet_steps WHERE job_hash = ? AND place = ? AND name_hash = ?`;
const STORE_STEP = `INSERT INTO fleet_steps (job_hash, place, name_hash, value) VALUES (?, ?, ?, ?)`;
