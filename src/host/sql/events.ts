// The events of runs. The run's row counts them, so offsets have no gap in any process.

import {
  assertObjects,
  canonicalize,
  storeFailed,
  type EventStore,
  type SessionEvent,
  type StoredSessionEvent,
} from "../../core/index.js";
import { INSERT_ROWS, MAX_RUN_EVENTS, STORE_PAGE_ROWS } from "../limits.js";
import { lockRun, runHashOf } from "./claims.js";
import type { Values } from "./codec.js";
import { findByKey, type Sql, type SqlAccess, type SqlTransaction } from "./engine.js";
import { readColumns } from "./rows.js";

export function createEvents(access: SqlAccess, values: Values): EventStore {
  async function* read(runId: string, cursor = { offset: 0 }): AsyncGenerator<StoredSessionEvent> {
    const hash = runHashOf(runId);
    let next = toOffset(cursor.offset);
    for (;;) {
      const from = next;
      const rows = await access.read(async (sql) => {
        await lockRun(sql, hash);
        return sql.all(
          "SELECT place, event FROM events WHERE run_hash = ? AND place >= ? ORDER BY place LIMIT ?",
          ...[hash, from, STORE_PAGE_ROWS],
        );
      });
      for (const row of rows) {
        const column = readColumns("events", runId, row);
        next = column.integer("place") + 1;
        const event = await values.toValue(`an event of run ${runId}`, column.text("event"));
        yield { cursor: { offset: next }, runId, event: event as unknown as SessionEvent };
      }
      if (rows.length < STORE_PAGE_ROWS) return;
    }
  }

  /** Compares values, because a codec may encode the same text in several ways. */
  async function areStored(sql: Sql, runId: string, first: number, events: readonly SessionEvent[]): Promise<boolean> {
    if (events.length === 0) return true;
    const rows = await sql.all(
      "SELECT event FROM events WHERE run_hash = ? AND place >= ? AND place < ? ORDER BY place",
      ...[runHashOf(runId), first, first + events.length],
    );
    const stored = await Promise.all(
      rows.map((row) => values.toValue(`an event of run ${runId}`, readColumns("events", runId, row).text("event"))),
    );
    return canonicalize(stored) === canonicalize(events);
  }

  return {
    read,
    append: async (runId, events, options) => {
      assertObjects("append(runId, events, { firstOffset })", events, options);
      const { firstOffset, leaseId } = options;
      const hash = runHashOf(runId);
      toOffset(firstOffset);
      const texts = await Promise.all(events.map((event) => values.toText(`an event of run ${runId}`, event)));
      return access.write(async (sql) => {
        if (await moveEnd(sql, hash, { firstOffset, end: firstOffset + texts.length, leaseId })) {
          await insertEvents(sql, hash, firstOffset, texts);
          return { ok: true as const, cursor: { offset: firstOffset + texts.length } };
        }
        const run = await findLog(sql, hash);
        const end = run?.end ?? 0;
        const refuse = (reason: "lost-lease" | "gap") => ({ ok: false as const, reason, cursor: { offset: end } });
        if (leaseId !== undefined && run?.leaseId !== leaseId) return refuse("lost-lease");
        if (run === undefined) throw storeFailed(`there is no run ${runId}`, "Create it before its events.");
        const known = events.slice(0, Math.max(0, end - firstOffset));
        if (firstOffset > end || !(await areStored(sql, runId, firstOffset, known))) return refuse("gap");
        const fresh = texts.slice(known.length);
        if (end + fresh.length > MAX_RUN_EVENTS) {
          throw storeFailed(`run ${runId} has more than ${MAX_RUN_EVENTS} events`, "Set a budget for the turn.");
        }
        await insertEvents(sql, hash, end, fresh);
        if (fresh.length > 0) {
          await sql.run("UPDATE runs SET event_end = ? WHERE seq = ?", end + fresh.length, run.seq);
        }
        return { ok: true as const, cursor: { offset: end + fresh.length } };
      });
    },
  };
}

interface Move {
  readonly firstOffset: number;
  readonly end: number;
  readonly leaseId: string | undefined;
}

/** The usual case in one statement: the events begin where the log ends. Otherwise false, and the log must be read. */
async function moveEnd(sql: SqlTransaction, hash: Uint8Array, { firstOffset, end, leaseId }: Move): Promise<boolean> {
  if (end === firstOffset || end > MAX_RUN_EVENTS) return false;
  const isHeld = leaseId === undefined ? "" : " AND lease_id = ?";
  const moved = await sql.run(
    `UPDATE runs SET event_end = ? WHERE run_hash = ? AND event_end = ?${isHeld}`,
    ...[end, hash, firstOffset, ...(leaseId === undefined ? [] : [leaseId])],
  );
  return moved === 1;
}

async function insertEvents(
  sql: SqlTransaction,
  hash: Uint8Array,
  first: number,
  texts: readonly string[],
): Promise<void> {
  for (let from = 0; from < texts.length; from += INSERT_ROWS) {
    const some = texts.slice(from, from + INSERT_ROWS);
    const rows = some.map(() => "(?, ?, ?)").join(", ");
    const values = some.flatMap((text, index) => [hash, first + from + index, text]);
    await sql.run(`INSERT INTO events (run_hash, place, event) VALUES ${rows}`, ...values);
  }
}

/** The end of a run's log, and the lease that may write to it. */
async function findLog(sql: Sql, hash: Uint8Array) {
  const row = await findByKey(sql, "SELECT seq, event_end, lease_id FROM runs WHERE run_hash = ?", hash);
  if (row === undefined) return undefined;
  const column = readColumns("runs", String(row.seq), row);
  return { seq: column.integer("seq"), end: column.integer("event_end"), leaseId: column.textOrNull("lease_id") };
}

function toOffset(offset: number): number {
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw storeFailed(`an offset of events is ${String(offset)}`, "Pass a whole number of 0 or more.");
}
