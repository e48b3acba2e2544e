// The checkpoints of runs: a small head and the new items of the journal. The journal is the `appended` of all versions.

import {
  assertObjects,
  MAX_RUNTIME_STATE_BYTES,
  storeFailed,
  type CheckpointStore,
  type JsonValue,
  type RunCheckpoint,
} from "../../core/index.js";
import { findInLane, findRun, lockRun, runHashOf } from "./claims.js";
import type { Values } from "./codec.js";
import type { SqlAccess, SqlRow, Write } from "./engine.js";
import { damagedRow } from "./failure.js";
import { wakeHeads } from "./lanes.js";
import { readColumns, type RunRow } from "./rows.js";
import { CLAIMED } from "./schema.js";

export function createCheckpoints(access: SqlAccess, values: Values): CheckpointStore {
  const read = (runId: string, order: string) => {
    const hash = runHashOf(runId);
    return access.read(async (sql) => {
      await lockRun(sql, hash);
      return sql.all(`SELECT version, head, appended FROM checkpoints WHERE run_hash = ? ${order}`, hash);
    });
  };
  return {
    latest: async (runId) => {
      const [row] = await read(runId, "ORDER BY version DESC LIMIT 1");
      return row === undefined ? null : toCheckpoint(runId, row, values);
    },
    load: async (runId) => {
      const rows = await read(runId, "ORDER BY version");
      const last = rows.at(-1);
      if (last === undefined) return null;
      const parts = await Promise.all(rows.map((row) => toAppended(runId, row, values)));
      return { checkpoint: await toCheckpoint(runId, last, values), journal: parts.flat() };
    },
    append: async (checkpoint, options) => {
      assertObjects("append(checkpoint, { expectedVersion, leaseId })", checkpoint, options);
      const { expectedVersion, leaseId } = options;
      const { appended, ...head } = checkpoint;
      const { runId, version } = checkpoint;
      await values.toText(`the state of run ${runId}`, checkpoint.runtimeState, MAX_RUNTIME_STATE_BYTES);
      const texts = [
        await values.toText(`checkpoint ${version} of run ${runId}`, head),
        await values.toText(`the journal of run ${runId}`, appended),
      ];
      const hash = runHashOf(runId);
      return access.write(async (sql) => {
        const next = { checkpoint, expectedVersion, leaseId };
        if (!(await advance(sql, hash, next))) {
          const row = await findRun(sql, "run_hash", hash);
          // The row is locked only now, and may have changed since.
          if (!isExpected(row, next) || !(await advance(sql, hash, next))) return refuse(row, leaseId);
        }
        assertNext(checkpoint, expectedVersion);
        await sql.run(
          "INSERT INTO checkpoints (run_hash, version, head, appended) VALUES (?, ?, ?, ?)",
          hash,
          version,
          ...texts,
        );
        return { ok: true as const, version };
      });
    },
    drop: async (runId) => {
      const hash = runHashOf(runId);
      await access.write(async (sql) => {
        await lockRun(sql, hash);
        await sql.run("DELETE FROM checkpoints WHERE run_hash = ?", hash);
      });
    },
  };
}

function assertNext({ runId, version }: RunCheckpoint, expectedVersion: number): void {
  if (version === expectedVersion + 1) return;
  throw storeFailed(
    `a checkpoint of run ${runId} has version ${version}`,
    `The version after ${expectedVersion} must be ${expectedVersion + 1}.`,
  );
}

interface Advance {
  readonly checkpoint: RunCheckpoint;
  readonly expectedVersion: number;
  readonly leaseId: string;
}

async function advance(
  sql: Write,
  hash: Uint8Array,
  { checkpoint, expectedVersion, leaseId }: Advance,
): Promise<boolean> {
  const isSuspended = checkpoint.phases.includes("suspended");
  const status = isSuspended ? "suspended" : "running";
  if (isSuspended) await findInLane(sql, hash);
  const drop = isSuspended ? ", lease_id = NULL, lease_until = NULL, holder = NULL, due_at = NULL" : "";
  const { wallMs } = await sql.now();
  const changed = await sql.run(
    `UPDATE runs SET checkpoint_version = ?, status = ?, stalls = 0, failures = 0, revision = revision + 1, updated_at = ?${drop}
     WHERE run_hash = ? AND lease_id = ? AND checkpoint_version = ? AND ${CLAIMED}`,
    ...[checkpoint.version, status, wallMs, hash, leaseId, expectedVersion],
  );
  if (changed === 0) return false;
  sql.note.statuses.set(checkpoint.runId, status);
  const row = isSuspended ? await findRun(sql, "run_hash", hash) : undefined;
  if (row !== undefined) await wakeHeads(sql, row.lane);
  return true;
}

const isClaimedBy = (row: RunRow | undefined, leaseId: string): row is RunRow =>
  row?.lease?.leaseId === leaseId && ["leased", "running"].includes(row.status);

const isExpected = (row: RunRow | undefined, { leaseId, expectedVersion }: Advance): boolean =>
  isClaimedBy(row, leaseId) && row.checkpointVersion === expectedVersion;

function refuse(row: RunRow | undefined, leaseId: string) {
  const isOurs = isClaimedBy(row, leaseId);
  const reason = isOurs ? ("stale-version" as const) : ("lost-lease" as const);
  return { ok: false as const, reason, currentVersion: row?.checkpointVersion ?? 0 };
}

async function toCheckpoint(runId: string, row: SqlRow, values: Values): Promise<RunCheckpoint> {
  const head = await values.toValue(
    `a checkpoint of run ${runId}`,
    readColumns("checkpoints", runId, row).text("head"),
  );
  if (typeof head !== "object" || head === null || Array.isArray(head) || head.version !== row.version) {
    throw damagedRow("checkpoints", runId, "head", "another checkpoint");
  }
  return { ...head, appended: await toAppended(runId, row, values) } as unknown as RunCheckpoint;
}

async function toAppended(runId: string, row: SqlRow, values: Values): Promise<JsonValue[]> {
  const text = readColumns("checkpoints", runId, row).text("appended");
  const items = await values.toValue(`the journal of run ${runId}`, text);
  if (!Array.isArray(items)) throw damagedRow("checkpoints", runId, "appended", "not a list");
  return items;
}
