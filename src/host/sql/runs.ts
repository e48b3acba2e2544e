// The records of runs: how they are found, and their compare-and-set.

import {
  assertObjects,
  showValue,
  storeFailed,
  type RunChange,
  type RunExpectation,
  type RunStatus,
  type RunStore,
} from "../../core/index.js";
import {
  createClaims,
  dedupeHashOf,
  findInLane,
  findRun,
  groupHashOf,
  runHashOf,
  taskHashOf,
  type RunTerms,
} from "./claims.js";
import type { SqlAccess, SqlRow, SqlValue, Write } from "./engine.js";
import { wakeHeads } from "./lanes.js";
import { laneOf } from "./names.js";
import { readRun, toRunRecord, type RunRow } from "./rows.js";
import { OPEN, RUN_STATUSES } from "./schema.js";

export const TERMINAL: readonly RunStatus[] = ["completed", "error", "cancelled"];
const HELD: readonly RunStatus[] = ["leased", "running"];

/** The run store without `watch`, which the host adds. */
export function createRuns(access: SqlAccess, terms: RunTerms): Omit<RunStore, "watch"> {
  const { values } = terms;
  const toRecord = (row: RunRow | undefined) => (row === undefined ? null : toRunRecord(row, values));
  /** `name` is the list that a new run with this condition joins. */
  const list = async (name: Uint8Array, condition: string, ...more: SqlValue[]) => {
    const rows = await access.read(async (sql) => {
      await sql.lockList(name);
      return sql.all(`SELECT * FROM runs WHERE ${condition} ORDER BY seq${sql.forUpdate}`, name, ...more);
    });
    return Promise.all(rows.map((row) => toRunRecord(readRun(row), values)));
  };

  return {
    ...createClaims(access, terms),
    get: async (runId) => {
      const hash = runHashOf(runId);
      return toRecord(await access.read((sql) => findRun(sql, "run_hash", hash)));
    },
    getByDedupeKey: async (ownerNamespace, dedupeKey) => {
      const hash = dedupeHashOf(ownerNamespace, dedupeKey);
      return toRecord(await access.read((sql) => findRun(sql, "dedupe_hash", hash)));
    },
    // A task id may be used again after its session was deleted. The newest run counts.
    getByTaskId: async (ownerNamespace, parentSessionKey, publicTaskId) => {
      const hash = taskHashOf(ownerNamespace, parentSessionKey, publicTaskId);
      const [row] = await access.read(async (sql) => {
        await sql.lockList(hash);
        return sql.all(`SELECT * FROM runs WHERE task_hash = ? ORDER BY seq DESC LIMIT 1${sql.forUpdate}`, hash);
      });
      return toRecord(row === undefined ? undefined : readRun(row));
    },
    listByParentRunId: async (parentRunId) => list(runHashOf(parentRunId), "parent_hash = ?"),
    listByGroup: async (parentRunId, groupId) =>
      list(runHashOf(parentRunId), "parent_hash = ? AND group_hash = ?", groupHashOf(groupId)),
    listOpen: async (ownerNamespace, where) => {
      assertObjects("listOpen(ownerNamespace, where)", where);
      return "sessionKey" in where
        ? list(laneOf(ownerNamespace, where.sessionKey), `lane = ? AND ${OPEN}`)
        : list(laneOf(ownerNamespace, where.parentSessionKey), `parent_lane = ? AND ${OPEN}`);
    },
    update: async (runId, change, expected) => {
      assertObjects("update(runId, change, expected)", change, expected);
      const hash = runHashOf(runId);
      assertStatus(change.status);
      const output =
        change.output === undefined ? null : await values.toText(`the output of run ${runId}`, change.output);
      const error = change.error === undefined ? null : await values.toText(`the error of run ${runId}`, change.error);
      const { reason, row } = await access.write(async (sql) => {
        const found = await findInLane(sql, hash);
        if (found === undefined) return { reason: "not-found" as const };
        const refused = refuseUpdate(found, change, expected);
        if (refused !== undefined) return { reason: refused, row: found };
        const own = { status: change.status, output, error, release: expected.release === true };
        return { row: await applyChange(sql, found, own) };
      });
      if (reason === undefined) return { ok: true, record: await toRunRecord(row, values) };
      return row === undefined ? { ok: false, reason } : { ok: false, reason, record: await toRunRecord(row, values) };
    },
  };
}

function refuseUpdate(row: RunRow, change: RunChange, expected: RunExpectation): "lost-lease" | "status" | undefined {
  const { leaseId, from } = expected;
  if (leaseId !== undefined && row.lease?.leaseId !== leaseId) return "lost-lease";
  return mayBecome(row, change.status, from) ? undefined : "status";
}

/** A terminal run never changes. A run leaves `needs-recovery` only if the caller expects that status. Only a claim creates a lease. */
function mayBecome({ status }: RunRow, next: RunStatus | undefined, from: RunExpectation["from"]): boolean {
  if (TERMINAL.includes(status) || from?.includes(status) === false) return false;
  if (next === undefined || next === status) return true;
  if (status === "needs-recovery" && from === undefined) return false;
  return HELD.includes(status) || !HELD.includes(next);
}

interface StoredChange {
  readonly status: RunChange["status"];
  readonly output: string | null;
  readonly error: string | null;
  readonly release: boolean;
}

async function applyChange(sql: Write, row: RunRow, change: StoredChange): Promise<RunRow> {
  const { release, output, error } = change;
  const status = change.status ?? row.status;
  const isGiven = release && row.lease !== undefined;
  const drops = isGiven || (change.status !== undefined && !HELD.includes(change.status));
  // Only a claim counts as a stall. A hold does not.
  const stalls = isGiven && HELD.includes(row.status) ? Math.max(0, row.stalls - 1) : row.stalls;
  const { wallMs } = await sql.now();
  const dropped = drops ? ", lease_id = NULL, lease_until = NULL, holder = NULL, due_at = ?" : "";
  // A head becomes due below. A delayed run is due when its time comes.
  const dueAt = status === "queued" && row.isDelayed && row.readyAtMs > wallMs ? row.readyAtMs : null;
  const [changed] = await sql.all(
    `UPDATE runs SET status = ?, output = coalesce(?, output), error = coalesce(?, error), stalls = ?,
       revision = revision + 1, updated_at = ?${dropped} WHERE seq = ? RETURNING *`,
    ...[status, output, error, stalls, wallMs, ...(drops ? [dueAt] : []), row.seq],
  );
  if (status !== row.status) sql.note.statuses.set(row.identity.runId, status);
  if (drops) await wakeHeads(sql, row.lane);
  return readRun(changed as SqlRow);
}

function assertStatus(status: RunStatus | undefined): void {
  if (status === undefined || RUN_STATUSES.includes(status)) return;
  throw storeFailed(`the status is ${showValue(status)}`, `It must be one of ${RUN_STATUSES.join(", ")}.`);
}
