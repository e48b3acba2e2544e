// Decides who may work on a run: its creation with a hold or a delay, its claim, and the renewal of its lease.

import {
  assertObjects,
  MAX_TIMER_MS,
  showValue,
  storeFailed,
  toHex,
  type ClaimOptions,
  type CreateOptions,
  type NewRun,
  type RunStatus,
  type RunStore,
} from "../../core/index.js";
import { MAX_SCHEDULE_MS } from "../limits.js";
import type { Values } from "./codec.js";
import {
  findByKey,
  type Sql,
  type SqlAccess,
  type SqlClock,
  type SqlRow,
  type SqlValue,
  type Write,
} from "./engine.js";
import { hasBegun, headCondition, wakeHeads } from "./lanes.js";
import { hashNames, laneOf, toName } from "./names.js";
import { readRun, toRunRecord, type RunIdentity, type RunRow } from "./rows.js";
import { OPEN, RUN_KINDS } from "./schema.js";

export interface RunTerms {
  readonly values: Values;
  /** The host that takes leases and holds. */
  readonly holder: string;
}

export const runHashOf = (runId: string): Uint8Array => hashNames("run", toName("the run id", runId));
export const dedupeHashOf = (ownerNamespace: string, dedupeKey: string): Uint8Array =>
  hashNames("dedupe", toName("ownerNamespace", ownerNamespace), toName("dedupeKey", dedupeKey));
export const taskHashOf = (
  ...names: readonly [namespace: string, parentSessionKey: string, taskId: string]
): Uint8Array => hashNames("task", ...names.map((name) => toName("a name of a task", name)));
export const groupHashOf = (groupId: string): Uint8Array => hashNames("group", toName("groupId", groupId));

export async function findRun(
  sql: Sql,
  column: "run_hash" | "dedupe_hash",
  hash: Uint8Array,
): Promise<RunRow | undefined> {
  const row = await findByKey(sql, `SELECT * FROM runs WHERE ${column} = ?`, hash);
  const run = row === undefined ? undefined : readRun(row);
  if (run !== undefined) sql.lockedRuns?.add(toHex(run.runHash));
  return run;
}

/** The run, with the lock of its lane. All transactions lock a lane before the rows in it, so no two of them wait for each other. */
export async function findInLane(sql: Sql, hash: Uint8Array): Promise<RunRow | undefined> {
  await sql.lockLaneOf(hash);
  return findRun(sql, "run_hash", hash);
}

/** Locks the run's row, whose holder alone may write to its checkpoints and events. */
export async function lockRun(sql: Sql, hash: Uint8Array): Promise<void> {
  if (sql.lockedRuns?.has(toHex(hash)) === false) await findByKey(sql, "SELECT seq FROM runs WHERE run_hash = ?", hash);
}

export function createClaims(
  access: SqlAccess,
  { values, holder }: RunTerms,
): Pick<RunStore, "create" | "claim" | "renew"> {
  return {
    create: async (run, options = {}) => {
      assertObjects("create(run, options)", run, options);
      const identity = toIdentity(run);
      const texts = await toTexts(run, values);
      assertCreate(run, options);
      const [isNew, row] = await access.write(async (sql): Promise<[boolean, RunRow]> => {
        await sql.lockList(...listsOf(identity));
        const there = await findTaken(sql, identity);
        return there === undefined
          ? [true, await insertRun(sql, { run, identity, texts, options, holder })]
          : [false, there];
      });
      const record = await toRunRecord(row, values);
      return isNew ? { ok: true, record } : { ok: false, reason: "duplicate", record };
    },
    claim: async (runId, options) => {
      assertObjects("claim(runId, options)", options);
      assertClaim(options);
      const hash = runHashOf(runId);
      const found = await access.write(async (sql) => {
        const row = await findInLane(sql, hash);
        if (row?.identity.ownerNamespace !== options.ownerNamespace) return "not-found";
        const clock = await sql.now();
        return refuseClaim(row, { ...options, clock }) ?? takeRun(sql, row, { ...options, clock, holder });
      });
      return typeof found === "string"
        ? { ok: false, reason: found }
        : { ok: true, record: await toRunRecord(found, values) };
    },
    renew: async (runId, leaseId, leaseMs) => {
      assertTime("leaseMs", leaseMs, MAX_TIMER_MS);
      const hash = runHashOf(runId);
      return access.write(async (sql) => {
        const row = await findRun(sql, "run_hash", hash);
        if (row?.lease?.leaseId !== leaseId)
          return { ok: false as const, reason: "lost" as const, status: row?.status ?? ("gone" as const) };
        const { leaseMs: now, wallMs } = await sql.now();
        await sql.run(
          `UPDATE runs SET lease_until = ?, holder = ?, revision = revision + 1, updated_at = ?,
             due_at = CASE WHEN due_at IS NULL THEN NULL ELSE CAST(? AS BIGINT) END WHERE seq = ?`,
          ...[now + leaseMs, holder, wallMs, wallMs + leaseMs, row.seq],
        );
        return { ok: true as const };
      });
    },
  };
}

interface NewRow {
  readonly run: NewRun;
  readonly identity: RunIdentity;
  readonly texts: Readonly<Record<"input" | "output" | "error", string | null>>;
  readonly options: CreateOptions;
  readonly holder: string;
}

/** A run without a delay is ready at once, and comes after all ready runs, even if the wall clock was set back. */
async function insertRun(sql: Write, { run, identity, texts, options, holder }: NewRow): Promise<RunRow> {
  const { ownerNamespace, sessionKey, parentRunId, parentSessionKey, dedupeKey, publicTaskId, groupId } = identity;
  const lane = laneOf(ownerNamespace, sessionKey);
  const { leaseMs, wallMs } = await sql.now();
  const { hold, readyAfterMs = 0 } = options;
  const isDelayed = readyAfterMs > 0;
  const readyAt = isDelayed ? wallMs + readyAfterMs : Math.max(wallMs, await lastReady(sql, lane, wallMs));
  const columns: Readonly<Record<string, SqlValue>> = {
    run_hash: runHashOf(identity.runId),
    identity: JSON.stringify(identity),
    namespace_hash: hashNames("namespace", ownerNamespace),
    lane,
    parent_lane: parentSessionKey === undefined ? null : laneOf(ownerNamespace, parentSessionKey),
    parent_hash: parentRunId === undefined ? null : runHashOf(parentRunId),
    group_hash: groupId === undefined ? null : groupHashOf(groupId),
    dedupe_hash: dedupeKey === undefined ? null : dedupeHashOf(ownerNamespace, dedupeKey),
    task_hash:
      publicTaskId === undefined || parentSessionKey === undefined
        ? null
        : taskHashOf(ownerNamespace, parentSessionKey, publicTaskId),
    kind: run.kind,
    status: "queued",
    lease_id: hold?.leaseId ?? null,
    lease_until: hold === undefined ? null : leaseMs + hold.leaseMs,
    holder: hold === undefined ? null : holder,
    ready_at: readyAt,
    delayed: isDelayed ? 1 : 0,
    due_at: isDelayed ? readyAt : null,
    created_at: wallMs,
    updated_at: wallMs,
    ...texts,
  };
  const names = Object.keys(columns);
  const marks = names.map(() => "?").join(", ");
  const [row] = await sql.all(
    `INSERT INTO runs (${names.join(", ")}) VALUES (${marks}) RETURNING *`,
    ...Object.values(columns),
  );
  if (isDelayed) sql.note.isDue = true;
  else await wakeHeads(sql, lane);
  sql.note.statuses.set(identity.runId, "queued");
  return readRun(row as SqlRow);
}

/** The lists that a new run joins, and its keys. */
function listsOf(identity: RunIdentity): readonly Uint8Array[] {
  const { runId, ownerNamespace, sessionKey, parentRunId, parentSessionKey, dedupeKey, publicTaskId } = identity;
  const lists = [runHashOf(runId), laneOf(ownerNamespace, sessionKey)];
  if (parentRunId !== undefined) lists.push(runHashOf(parentRunId));
  if (dedupeKey !== undefined) lists.push(dedupeHashOf(ownerNamespace, dedupeKey));
  if (parentSessionKey !== undefined) lists.push(laneOf(ownerNamespace, parentSessionKey));
  if (publicTaskId !== undefined && parentSessionKey !== undefined)
    lists.push(taskHashOf(ownerNamespace, parentSessionKey, publicTaskId));
  return lists;
}

async function lastReady(sql: Sql, lane: Uint8Array, wallMs: number): Promise<number> {
  const [row] = await sql.all(
    `SELECT max(ready_at) AS last FROM runs WHERE lane = ? AND ${OPEN} AND (delayed = 0 OR ready_at <= ?)`,
    ...[lane, wallMs],
  );
  return typeof row?.last === "number" ? row.last : 0;
}

async function findTaken(sql: Sql, { runId, ownerNamespace, dedupeKey }: RunIdentity): Promise<RunRow | undefined> {
  const byId = await findRun(sql, "run_hash", runHashOf(runId));
  if (byId !== undefined || dedupeKey === undefined) return byId;
  return findRun(sql, "dedupe_hash", dedupeHashOf(ownerNamespace, dedupeKey));
}

interface Claim extends ClaimOptions {
  readonly clock: SqlClock;
}

export const CLAIMABLE: readonly RunStatus[] = ["queued", "suspended", "leased", "running"];

function refuseClaim(row: RunRow, { clock, leaseId }: Claim) {
  const { status, lease } = row;
  if (!CLAIMABLE.includes(status) || !isReady(row, clock)) return "not-claimable";
  const isLive = lease !== undefined && lease.untilMs > clock.leaseMs;
  // A hold admits its own lease. A claim admits no other claim, not even by the same lease.
  return isLive && (status !== "queued" || lease.leaseId !== leaseId) ? "leased" : undefined;
}

export function isReady(row: RunRow, { wallMs }: SqlClock): boolean {
  return hasBegun(row) || !row.isDelayed || row.readyAtMs <= wallMs;
}

async function takeRun(
  sql: Write,
  row: RunRow,
  claim: Claim & { readonly holder: string },
): Promise<RunRow | "session-busy"> {
  const { leaseId, leaseMs, clock, holder, exclusive = true } = claim;
  const [condition, ...values] = exclusive ? headCondition(row, clock) : ["1 = 1"];
  const [taken] = await sql.all(
    `UPDATE runs SET status = 'leased', attempt = attempt + 1, stalls = stalls + 1, revision = revision + 1,
       lease_id = ?, lease_until = ?, holder = ?, due_at = ?, updated_at = ? WHERE seq = ? AND ${condition} RETURNING *`,
    ...[leaseId, clock.leaseMs + leaseMs, holder, clock.wallMs + leaseMs, clock.wallMs, row.seq, ...values],
  );
  if (taken === undefined) return "session-busy";
  if (row.status !== "leased") sql.note.statuses.set(row.identity.runId, "leased");
  return readRun(taken);
}

function toIdentity(run: NewRun): RunIdentity {
  const identity: Record<string, string> = {};
  for (const name of ["runId", "ownerNamespace", "sessionKey", "rootRunId"] as const)
    identity[name] = toName(name, run[name]);
  for (const name of ["parentRunId", "parentSessionKey", "dedupeKey", "publicTaskId", "groupId"] as const) {
    if (run[name] !== undefined) identity[name] = toName(name, run[name]);
  }
  return identity as unknown as RunIdentity;
}

async function toTexts(run: NewRun, values: Values): Promise<NewRow["texts"]> {
  const text = (name: "input" | "output" | "error") =>
    run[name] === undefined ? null : values.toText(`the ${name} of run ${run.runId}`, run[name]);
  return { input: await text("input"), output: await text("output"), error: await text("error") };
}

function assertCreate(run: NewRun, { hold, readyAfterMs = 0 }: CreateOptions): void {
  if (!RUN_KINDS.includes(run.kind)) {
    throw storeFailed(
      `the kind of run ${run.runId} is ${showValue(run.kind)}`,
      `It must be one of ${RUN_KINDS.join(", ")}.`,
    );
  }
  assertTime("readyAfterMs", readyAfterMs, MAX_SCHEDULE_MS);
  if (hold === undefined) return;
  toName("the lease id", hold.leaseId);
  assertTime("hold.leaseMs", hold.leaseMs, MAX_TIMER_MS);
}

function assertClaim({ leaseId, leaseMs, ownerNamespace }: ClaimOptions): void {
  toName("the lease id", leaseId);
  toName("ownerNamespace", ownerNamespace);
  assertTime("leaseMs", leaseMs, MAX_TIMER_MS);
}

export function assertTime(name: string, value: number, most: number, least = 0): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw storeFailed(`${name} is ${String(value)}`, `Pass whole milliseconds from ${least} to ${most}.`);
}
