// Delivery: takes due runs for a worker, and decides when each must be delivered again. A delivery guarantees nothing: the claim decides.

import type { Delivery, RunKind } from "../../core/index.js";
import { FIRST_RETRY_MS, MAX_RETRY_MS, REDELIVERY_MS } from "../limits.js";
import { CLAIMABLE, findInLane, isReady, runHashOf } from "../sql/claims.js";
import type { Sql, SqlAccess, SqlClock, SqlRow, SqlTransaction, Write } from "../sql/engine.js";
import { headCondition } from "../sql/lanes.js";
import { hashNames } from "../sql/names.js";
import { readColumns, readRun, type RunRow } from "../sql/rows.js";
import { OPEN } from "../sql/schema.js";

export interface DeliveryTerms {
  readonly access: SqlAccess;
  readonly hostId: string;
  readonly namespaces: readonly string[];
}

/** A run for a worker. */
export interface DueRun {
  readonly runId: string;
  readonly kind: RunKind;
  readonly sessionKey: string;
  readonly ownerNamespace: string;
}

/**
 * Takes at most `limit` due runs. It skips runs in a lane where another transaction is at work. The rows are locked before their lanes, so
 * that several workers take different runs. That is safe, because the lock of a lane is only tried and never waited for.
 */
export async function takeDue(terms: DeliveryTerms, limit: number): Promise<readonly DueRun[]> {
  const { access, hostId } = terms;
  return access.write(async (sql) => {
    const clock = await sql.now();
    const taken: DueRun[] = [];
    for (const row of await findDue(sql, terms, clock, limit)) {
      if (await mark(sql, row, { clock, hostId })) taken.push(toDueRun(row));
    }
    return taken;
  });
}

/**
 * Takes a run that came through a queue. Resolves with `unknown` if it is not in the store or belongs to other workers, and with `late` if
 * it is no longer due.
 */
export async function takeQueued(terms: DeliveryTerms, runId: string): Promise<DueRun | "unknown" | "late"> {
  const { access, hostId, namespaces } = terms;
  const hash = runHashOf(runId);
  return access.write(async (sql) => {
    const row = await findInLane(sql, hash);
    if (row === undefined || !namespaces.includes(row.identity.ownerNamespace)) return "unknown";
    const clock = await sql.now();
    // Its sender has moved the due time to the next delivery. A later time is that of a failure.
    const due = await sql.all(
      "SELECT 1 FROM runs WHERE seq = ? AND due_at <= ? AND (lease_until IS NULL OR lease_until <= ?)",
      ...[row.seq, clock.wallMs + REDELIVERY_MS, clock.leaseMs],
    );
    return due.length > 0 && (await mark(sql, row, { clock, hostId })) ? toDueRun(row) : "late";
  });
}

const toDueRun = ({ kind, identity: { runId, sessionKey, ownerNamespace } }: RunRow): DueRun => ({
  ...{ runId, kind, sessionKey, ownerNamespace },
});

/** The due runs, except those whose lane another transaction has locked. */
async function findDue(
  sql: SqlTransaction,
  { namespaces }: DeliveryTerms,
  clock: SqlClock,
  limit: number,
): Promise<readonly RunRow[]> {
  const { condition, values } = namespaceCondition(namespaces);
  // Rows that another transaction has locked are skipped. Afterwards they are taken, or due again.
  const skip = sql.forUpdate === "" ? "" : `${sql.forUpdate} SKIP LOCKED`;
  const rows = await sql.all(
    `SELECT due.*, ${sql.tryLock("lane")} AS is_locked FROM (SELECT * FROM runs WHERE due_at <= ? AND ${condition}
       AND (lease_until IS NULL OR lease_until <= ?) ORDER BY due_at, seq LIMIT ?${skip}) AS due`,
    ...[clock.wallMs, ...values, clock.leaseMs, limit],
  );
  return rows.filter((row) => Boolean(row.is_locked)).map(readRun);
}

/** False for a run that is not currently a head. It becomes due again when it is the head. */
async function mark(
  sql: Write,
  row: RunRow,
  terms: { readonly clock: SqlClock; readonly hostId: string },
): Promise<boolean> {
  const { clock, hostId } = terms;
  if (!isReady(row, clock)) {
    await sql.run("UPDATE runs SET due_at = ready_at WHERE seq = ?", row.seq);
    return false;
  }
  const [condition, ...values] = headCondition(row, clock);
  const marked = CLAIMABLE.includes(row.status)
    ? await sql.run(
        `UPDATE runs SET due_at = ?, holder = ? WHERE seq = ? AND ${condition}`,
        ...[clock.wallMs + REDELIVERY_MS, hostId, row.seq, ...values],
      )
    : 0;
  if (marked === 0) await sql.run("UPDATE runs SET due_at = NULL WHERE seq = ?", row.seq);
  return marked === 1;
}

/** The times in ms until the next run and the next slot of a schedule, if any. 0 if it is due. */
export interface NextWork {
  readonly dueMs: number | undefined;
  readonly slotMs: number | undefined;
}

/** A read takes no lock, and most of the time nothing is due. */
export async function findNext({ access, namespaces }: DeliveryTerms): Promise<NextWork> {
  const { condition, values } = namespaceCondition(namespaces);
  const [row] = await access.read((sql) =>
    sql.all(
      `SELECT WALL_NOW AS now_ms,
         (SELECT next_at FROM schedules WHERE ${condition} ORDER BY next_at LIMIT 1) AS slot_at,
         (SELECT due_at FROM runs WHERE due_at IS NOT NULL AND ${condition}
            AND (due_at > WALL_NOW OR lease_until IS NULL OR lease_until <= LEASE_NOW) ORDER BY due_at LIMIT 1) AS due_at`,
      ...[...values, ...values],
    ),
  );
  const column = readColumns("runs", "next", row as SqlRow);
  const waitFor = (name: "due_at" | "slot_at") =>
    row?.[name] === null ? undefined : Math.max(0, column.integer(name) - column.integer("now_ms"));
  return { dueMs: waitFor("due_at"), slotMs: waitFor("slot_at") };
}

/** Stores the result of a delivery. A failed run is due again later. */
export async function endDelivery(access: SqlAccess, hostId: string, runId: string, outcome: Delivery): Promise<void> {
  const hash = runHashOf(runId);
  const isHeld = "run_hash = ? AND holder = ? AND lease_id IS NULL";
  // A run that has ended has no holder any more, so most deliveries cost only one read.
  const find = (sql: Sql) => sql.all(`SELECT 1 AS held FROM runs WHERE ${isHeld}`, hash, hostId);
  if (outcome.kind !== "failed" && (await access.read(find)).length === 0) return;
  await access.write(async (sql) => {
    const { wallMs, leaseMs } = await sql.now();
    const row = outcome.kind === "failed" ? await findFailed(sql, hash, leaseMs) : undefined;
    if (row !== undefined && outcome.kind === "failed") {
      const failures = row.integer("failures");
      const waitMs = outcome.error.retryable ? Math.min(2 ** failures * FIRST_RETRY_MS, MAX_RETRY_MS) : MAX_RETRY_MS;
      const dueAt = wallMs + waitMs + jitterOf(runId);
      await sql.run("UPDATE runs SET due_at = ?, failures = ? WHERE run_hash = ?", dueAt, failures + 1, hash);
    }
    await sql.run(`UPDATE runs SET holder = NULL WHERE ${isHeld}`, hash, hostId);
  });
}

/** A run that is open and that no worker holds. */
async function findFailed(sql: Write, hash: Uint8Array, leaseMs: number) {
  const [row] = await sql.all(
    `SELECT failures FROM runs WHERE run_hash = ? AND ${OPEN} AND status <> 'needs-recovery'
       AND (lease_until IS NULL OR lease_until <= ?)${sql.forUpdate}`,
    ...[hash, leaseMs],
  );
  return row === undefined ? undefined : readColumns("runs", "failed", row);
}

/** Up to 250 ms, derived from the run id, so that runs that failed together are not delivered together again. */
function jitterOf(runId: string): number {
  return (runHashOf(runId)[0] ?? 0) % 250;
}

export function namespaceCondition(namespaces: readonly string[]): { condition: string; values: Uint8Array[] } {
  const marks = namespaces.map(() => "?").join(", ");
  return { condition: `namespace_hash IN (${marks})`, values: namespaces.map((name) => hashNames("namespace", name)) };
}
