// Administration of a host: lists, figures, findings, and the removal of old data.

import { assertKnownOptions, invalidOptions, showValue, type RunRecord, type RunStatus } from "../../core/index.js";
import { assertCount } from "../integer-option.js";
import { CLOCK_JUMP_MS, DEFAULT_LISTED_RUNS, MAX_LISTED_RUNS, MIN_PRUNE_MS, PRUNE_BATCH_ROWS } from "../limits.js";
import { findRun, runHashOf } from "../sql/claims.js";
import type { Values } from "../sql/codec.js";
import type { HostFinding, SqlClock, SqlEngine, SqlValue, Write } from "../sql/engine.js";
import { hashNames, laneOf } from "../sql/names.js";
import { readColumns, readRun, toRunRecord } from "../sql/rows.js";
import { CLAIMED, OPEN, RUN_STATUSES } from "../sql/schema.js";
import { endHolds, type LifeTerms } from "./life.js";

/** The runs that {@link HostAdmin.list} returns. */
export interface RunFilter {
  readonly status?: readonly RunStatus[];
  readonly ownerNamespace?: string;
  /** Requires `ownerNamespace`. */
  readonly sessionKey?: string;
  /** The id of the last run of the previous page. */
  readonly after?: string;
  /** 1 to 1,000, default 100. */
  readonly limit?: number;
}

/** Figures of a host's store. */
export interface HostStats {
  readonly runs: Readonly<Record<RunStatus, number>>;
  /** How long in ms the oldest due run has waited for a worker. 0 if none waits. */
  readonly oldestDueMs: number;
  readonly pendingNotifications: number;
  /** Hosts that are alive. */
  readonly hosts: number;
  readonly bytes: number;
}

/** Maintenance of a host's store. */
export interface HostAdmin {
  /** Runs in the order of creation. */
  list(filter?: RunFilter): Promise<readonly RunRecord[]>;
  /** Ends the leases, holds and deliveries of a host, and resolves with their number. Stop its process first. */
  evict(hostId: string): Promise<number>;
  stats(): Promise<HostStats>;
  /** Finds problems that endanger the host's guarantees. Reads the whole store, which blocks the event loop. */
  check(): Promise<readonly HostFinding[]>;
  /** Removes values, events and checkpoints of ended runs. A run with a `dedupeKey` keeps its ids and its status. `olderThanMs` is at least a day. */
  prune(options: { readonly olderThanMs: number }): Promise<{ readonly runs: number; readonly events: number }>;
}

export interface AdminTerms extends LifeTerms {
  readonly engine: SqlEngine;
  readonly values: Values;
  /** The clocks when the host was opened. */
  readonly opened: SqlClock;
}

export function createAdmin(terms: AdminTerms): HostAdmin {
  const { access, engine, values, opened } = terms;

  async function list(filter: RunFilter = {}): Promise<readonly RunRecord[]> {
    assertKnownOptions("list", filter, ["status", "ownerNamespace", "sessionKey", "after", "limit"]);
    const { limit = DEFAULT_LISTED_RUNS, after } = filter;
    assertCount("limit", limit, 1, MAX_LISTED_RUNS);
    const { conditions, found } = toConditions(filter);
    const rows = await access.read(async (sql) => {
      const last = after === undefined ? undefined : await findRun(sql, "run_hash", runHashOf(after));
      if (after !== undefined && last === undefined)
        throw invalidOptions(`there is no run ${after}`, "List again from the start, without `after`.");
      const text = `SELECT * FROM runs WHERE seq > ?${conditions} ORDER BY seq LIMIT ?`;
      return sql.all(text, last?.seq ?? 0, ...found, limit);
    });
    return Promise.all(rows.map((row) => toRunRecord(readRun(row), values)));
  }

  async function check(): Promise<readonly HostFinding[]> {
    const clock = await access.read((sql) => sql.now());
    const jumpMs = Math.abs(clock.wallMs - opened.wallMs - (clock.leaseMs - opened.leaseMs));
    const [row] = await access.read((sql) =>
      sql.all(`SELECT count(*) AS count FROM runs WHERE ${CLAIMED} AND lease_until <= ?`, clock.leaseMs),
    );
    const expired = Number(row?.count);
    const findings: HostFinding[] = [...(await engine.findings())];
    if (expired > 0) {
      const message = `${expired} runs have an expired lease: a worker is frozen, or no worker is running`;
      findings.push({ level: "warning", code: "expired-leases", message });
    }
    if (jumpMs > CLOCK_JUMP_MS) {
      const message = `the wall clock has moved by ${jumpMs} ms against the steady clock since the host was opened`;
      findings.push({ level: "warning", code: "clock-jump", message });
    }
    return findings;
  }

  return {
    list,
    check,
    evict: (hostId) => access.write((sql) => endHolds(sql, hostId)),
    stats: () => readStats(terms),
    prune: (options) => prune(terms, options),
  };
}

async function readStats({ access, lives, engine }: AdminTerms): Promise<HostStats> {
  const rows = await access.read((sql) => sql.all("SELECT status, count(*) AS count FROM runs GROUP BY status"));
  const runs = Object.fromEntries(RUN_STATUSES.map((status) => [status, 0])) as Record<RunStatus, number>;
  for (const row of rows) {
    const column = readColumns("runs", "stats", row);
    runs[column.word("status", RUN_STATUSES)] = column.integer("count");
  }
  const one = async (text: string) => Object.values((await access.read((sql) => sql.all(text)))[0] ?? {})[0];
  const oldest = await one("SELECT min(due_at) FROM runs WHERE due_at IS NOT NULL");
  const { wallMs } = await access.read((sql) => sql.now());
  return {
    runs,
    oldestDueMs: typeof oldest === "number" ? Math.max(0, wallMs - oldest) : 0,
    pendingNotifications: Number(await one("SELECT count(*) FROM inbox WHERE status = 'pending'")),
    hosts: await lives.count(),
    bytes: await engine.bytes(),
  };
}

async function prune({ access, engine }: AdminTerms, options: { readonly olderThanMs: number }) {
  assertKnownOptions("prune", options, ["olderThanMs"]);
  assertCount("olderThanMs", options.olderThanMs, MIN_PRUNE_MS, Number.MAX_SAFE_INTEGER);
  const { wallMs } = await access.read((sql) => sql.now());
  const before = wallMs - options.olderThanMs;
  const pruned = { runs: 0, events: 0 };
  for (;;) {
    const batch = await access.write((sql) => pruneRuns(sql, before));
    pruned.runs += batch.runs;
    pruned.events += batch.events;
    if (batch.runs < PRUNE_BATCH_ROWS) break;
  }
  await access.write(async (sql) => {
    const old = "status <> 'pending' AND settled_at < ? AND input IS NOT NULL";
    await sql.run(`UPDATE inbox SET input = NULL WHERE ${old}`, before);
    await engine.prune?.(sql, before);
  });
  return pruned;
}

function toConditions(filter: RunFilter): { readonly conditions: string; readonly found: readonly SqlValue[] } {
  const { status, ownerNamespace, sessionKey } = filter;
  const found: SqlValue[] = [];
  let conditions = "";
  if (status !== undefined) {
    const given: unknown = status;
    if (!Array.isArray(given)) throw invalidOptions(`status is ${showValue(status)}`, "Pass a list of statuses.");
    const unknown = status.find((word) => !RUN_STATUSES.includes(word));
    if (unknown !== undefined) {
      throw invalidOptions(`status has ${showValue(unknown)}`, `The statuses are ${RUN_STATUSES.join(", ")}.`);
    }
    // PostgreSQL refuses an empty list.
    conditions += status.length === 0 ? " AND 1 = 0" : ` AND status IN (${status.map(() => "?").join(", ")})`;
    found.push(...status);
  }
  if (sessionKey !== undefined && ownerNamespace === undefined) {
    throw invalidOptions("sessionKey requires ownerNamespace", "Pass both, because a key belongs to a namespace.");
  }
  if (ownerNamespace !== undefined) {
    conditions += sessionKey === undefined ? " AND namespace_hash = ?" : " AND lane = ?";
    found.push(sessionKey === undefined ? hashNames("namespace", ownerNamespace) : laneOf(ownerNamespace, sessionKey));
  }
  return { conditions, found };
}

/** Ended runs whose parent is not open, since an open parent may still ask for their output. */
async function pruneRuns(sql: Write, before: number): Promise<{ runs: number; events: number }> {
  const rows = await sql.all(
    `SELECT seq, run_hash, dedupe_hash FROM runs AS old WHERE NOT (${OPEN}) AND updated_at < ?
       AND (dedupe_hash IS NULL OR input IS NOT NULL OR output IS NOT NULL OR error IS NOT NULL OR event_end > 0)
       AND NOT EXISTS (SELECT 1 FROM runs WHERE run_hash = old.parent_hash AND ${OPEN}) ORDER BY seq LIMIT ?`,
    ...[before, PRUNE_BATCH_ROWS],
  );
  let events = 0;
  for (const row of rows) {
    const column = readColumns("runs", "pruned", row);
    const hash = column.bytes("run_hash");
    events += await sql.run("DELETE FROM events WHERE run_hash = ?", hash);
    await sql.run("DELETE FROM checkpoints WHERE run_hash = ?", hash);
    const forget =
      row.dedupe_hash === null
        ? "DELETE FROM runs WHERE seq = ?"
        : "UPDATE runs SET input = NULL, output = NULL, error = NULL, event_end = 0 WHERE seq = ?";
    await sql.run(forget, column.integer("seq"));
  }
  return { runs: rows.length, events };
}
