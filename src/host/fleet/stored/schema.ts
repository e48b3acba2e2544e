// The tables of fleets. A job is locked before its rows are read or changed, so its transactions have an order.

/** `lane` is the hash of the only member that may run the cell, or of none. `spent` is in micro-cents. */
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
