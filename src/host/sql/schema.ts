// The tables of a durable store, and of fleets. `runs` is also the queue: `due_at` is when a worker must look at the run next, and NULL
// means never.

import type { RunKind, RunStatus } from "../../core/index.js";

export const RUN_STATUSES: readonly RunStatus[] = [
  "queued",
  "leased",
  "running",
  "suspended",
  "completed",
  "error",
  "cancelled",
  "needs-recovery",
];

export const RUN_KINDS: readonly RunKind[] = [
  "user-turn",
  "subagent",
  "background-subagent",
  "notification",
  "tool-recovery",
];

/** The conditions of partial indexes. A query must repeat one word for word to use its index. */
export const OPEN = "status IN ('queued', 'leased', 'running', 'suspended', 'needs-recovery')";
export const CLAIMED = "status IN ('leased', 'running')";
export const BEGUN = "(status <> 'queued' OR checkpoint_version > 0)";

const words = (list: readonly string[]): string => list.map((word) => `'${word}'`).join(", ");

/** Version 1. `identity` is JSON of the ids, which never change. Columns with `_hash`, and lanes, are SHA-256 of them. */
const FIRST = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE sessions (
  key_hash BLOB PRIMARY KEY, key TEXT NOT NULL, version TEXT NOT NULL, state TEXT NOT NULL
) STRICT;
CREATE TABLE runs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, run_hash BLOB NOT NULL UNIQUE, identity TEXT NOT NULL,
  namespace_hash BLOB NOT NULL, lane BLOB NOT NULL, parent_lane BLOB, parent_hash BLOB, group_hash BLOB,
  dedupe_hash BLOB UNIQUE, task_hash BLOB,
  kind TEXT NOT NULL CHECK (kind IN (${words(RUN_KINDS)})),
  status TEXT NOT NULL CHECK (status IN (${words(RUN_STATUSES)})),
  attempt INTEGER NOT NULL DEFAULT 0, stalls INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
  checkpoint_version INTEGER NOT NULL DEFAULT 0, event_end INTEGER NOT NULL DEFAULT 0,
  revision INTEGER NOT NULL DEFAULT 1,
  lease_id TEXT, lease_until INTEGER, holder TEXT,
  ready_at INTEGER NOT NULL, delayed INTEGER NOT NULL CHECK (delayed IN (0, 1)), due_at INTEGER,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  input TEXT, output TEXT, error TEXT,
  CHECK ((lease_id IS NULL) = (lease_until IS NULL))
) STRICT;
CREATE INDEX runs_begun ON runs (lane, ready_at, seq) WHERE ${OPEN} AND ${BEGUN};
CREATE INDEX runs_open ON runs (lane, ready_at, seq) WHERE ${OPEN};
CREATE INDEX runs_open_below ON runs (parent_lane, seq) WHERE ${OPEN};
CREATE INDEX runs_children ON runs (parent_hash, seq) WHERE parent_hash IS NOT NULL;
CREATE INDEX runs_tasks ON runs (task_hash, seq) WHERE task_hash IS NOT NULL;
CREATE INDEX runs_due ON runs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX runs_held ON runs (holder) WHERE holder IS NOT NULL;
CREATE TABLE checkpoints (
  run_hash BLOB NOT NULL, version INTEGER NOT NULL, head TEXT NOT NULL, appended TEXT NOT NULL,
  PRIMARY KEY (run_hash, version)
) STRICT;
CREATE TABLE events (
  run_hash BLOB NOT NULL, place INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (run_hash, place)
) STRICT;
CREATE TABLE inbox (
  ord INTEGER PRIMARY KEY AUTOINCREMENT, id_hash BLOB NOT NULL UNIQUE, key_hash BLOB NOT NULL UNIQUE,
  run_hash BLOB NOT NULL UNIQUE, lane BLOB NOT NULL, identity TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'acked', 'cancelled')), delivered_by TEXT,
  settled_at INTEGER, input TEXT
) STRICT;
CREATE INDEX inbox_pending ON inbox (lane, ord) WHERE status = 'pending';
CREATE TABLE schedules (
  id_hash BLOB PRIMARY KEY, namespace_hash BLOB NOT NULL, identity TEXT NOT NULL, text TEXT NOT NULL,
  every_ms INTEGER NOT NULL, start_at INTEGER NOT NULL, next_at INTEGER NOT NULL
) STRICT;
CREATE INDEX schedules_next ON schedules (next_at);
`;

export const MIGRATIONS: readonly string[] = [FIRST];

/**
 * The tables of fleets. A job is locked before its rows are read or changed, so its transactions have an order. `lane` is the hash of the
 * only member that may run the cell, or of none. `spent` is in micro-cents.
 */
export const FLEET_TABLES = `
CREATE TABLE fleet_jobs (
  job_hash BLOB PRIMARY KEY, plan_hash TEXT NOT NULL, spent INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)), created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE fleet_cells (
  job_hash BLOB NOT NULL, place INTEGER NOT NULL, lane BLOB NOT NULL, target_hash BLOB NOT NULL, names TEXT NOT NULL,
  holder TEXT, lease_until INTEGER, losses INTEGER NOT NULL DEFAULT 0, begun_by TEXT, begun_at INTEGER,
  status TEXT CHECK (status IN ('done', 'failed', 'skipped')), result TEXT,
  PRIMARY KEY (job_hash, place),
  CHECK ((holder IS NULL) = (lease_until IS NULL)), CHECK (status IS NULL OR holder IS NULL)
) STRICT;
CREATE INDEX fleet_cells_open ON fleet_cells (job_hash, lane, place) WHERE status IS NULL;
CREATE INDEX fleet_cells_held ON fleet_cells (job_hash, lease_until) WHERE holder IS NOT NULL;
CREATE TABLE fleet_tokens (rate_hash BLOB NOT NULL, target_hash BLOB NOT NULL, taken_at INTEGER NOT NULL) STRICT;
CREATE INDEX fleet_tokens_taken ON fleet_tokens (rate_hash, target_hash, taken_at);
CREATE TABLE fleet_steps (
  job_hash BLOB NOT NULL, place INTEGER NOT NULL, name_hash BLOB NOT NULL, value TEXT,
  PRIMARY KEY (job_hash, place, name_hash)
) STRICT;
`;
