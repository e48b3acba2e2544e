// Recurring inputs. At each slot, one transaction adds one notification to the session's inbox, with a run that delivers it. The slot is
// part of the notification's key, so several hosts together create only one.

import { plural, showValue, storeFailed, type JsonValue } from "../../core/index.js";
import { MAX_SCHEDULE_MS, MAX_SCHEDULES, MIN_SCHEDULE_MS, STORE_PAGE_ROWS } from "../limits.js";
import { assertTime } from "../sql/claims.js";
import type { Values } from "../sql/codec.js";
import { findByKey, type Sql, type SqlAccess, type SqlRow } from "../sql/engine.js";
import { damagedRow } from "../sql/failure.js";
import { hashNames, toName } from "../sql/names.js";
import { readColumns } from "../sql/rows.js";
import type { SqlStore } from "../sql/store.js";
import { namespaceCondition } from "./deliver.js";

/** An input that a session receives at each interval. */
export interface Schedule {
  /** Unique in its namespace. */
  readonly id: string;
  readonly ownerNamespace: string;
  readonly sessionKey: string;
  readonly text: string;
  /** Milliseconds from one slot to the next, from one second to 366 days. */
  readonly everyMs: number;
  /** The first slot, in ms since the epoch. Default: `everyMs` from now. */
  readonly startAt?: number;
}

/** The schedules of a host. Slots that pass while no worker runs are combined into one. */
export interface Schedules {
  /** Adds a schedule, or replaces the one with the same id. Setting the same schedule again changes nothing. */
  set(schedule: Schedule): Promise<void>;
  /** Resolves with false if there is no such schedule. */
  remove(ownerNamespace: string, id: string): Promise<boolean>;
  list(ownerNamespace: string): Promise<readonly Schedule[]>;
}

export interface ScheduleTerms {
  readonly access: SqlAccess;
  readonly store: SqlStore;
  readonly values: Values;
}

const IDS = ["id", "ownerNamespace", "sessionKey"];
const idHashOf = (ownerNamespace: string, id: string): Uint8Array =>
  hashNames("schedule", toName("ownerNamespace", ownerNamespace), toName("the schedule id", id));
const namespaceHashOf = (ownerNamespace: string): Uint8Array =>
  hashNames("namespace", toName("ownerNamespace", ownerNamespace));

export function createSchedules({ access, values }: Omit<ScheduleTerms, "store">): Schedules {
  return {
    async set(schedule) {
      const { id, ownerNamespace, everyMs, startAt } = schedule;
      assertTime("everyMs", everyMs, MAX_SCHEDULE_MS, MIN_SCHEDULE_MS);
      if (startAt !== undefined) assertTime("startAt", startAt, Number.MAX_SAFE_INTEGER, 0);
      if (typeof schedule.text !== "string" || schedule.text === "") {
        const what = `the text of schedule ${id} is ${showValue(schedule.text)}`;
        throw storeFailed(what, "Pass a string with at least one character.");
      }
      const identity = JSON.stringify({ id, ownerNamespace, sessionKey: toName("sessionKey", schedule.sessionKey) });
      const text = await values.toText(`the text of schedule ${id}`, schedule.text);
      const hashes = [idHashOf(ownerNamespace, id), namespaceHashOf(ownerNamespace)] as const;
      await access.write(async (sql) => {
        await sql.lockList(hashes[1]);
        const there = await findSchedule(sql, hashes[0]);
        const { wallMs } = await sql.now();
        // A program that sets its schedules at each start must not delay their slots.
        const isSame =
          there?.integer("every_ms") === everyMs &&
          (startAt ?? there.integer("start_at")) === there.integer("start_at");
        const start = isSame ? there.integer("start_at") : (startAt ?? wallMs + everyMs);
        const next = isSame ? there.integer("next_at") : start;
        if (there === undefined) await assertRoom(sql, hashes[1]);
        await sql.run("DELETE FROM schedules WHERE id_hash = ?", hashes[0]);
        await sql.run(
          `INSERT INTO schedules (id_hash, namespace_hash, identity, text, every_ms, start_at, next_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
          ...[...hashes, identity, text, everyMs, start, next],
        );
        sql.note.isDue = true;
      });
    },
    async remove(ownerNamespace, id) {
      const hash = idHashOf(ownerNamespace, id);
      const removed = await access.write(async (sql) => {
        await sql.lockList(namespaceHashOf(ownerNamespace));
        return sql.run("DELETE FROM schedules WHERE id_hash = ?", hash);
      });
      return removed > 0;
    },
    async list(ownerNamespace) {
      const hash = namespaceHashOf(ownerNamespace);
      const rows = await access.read((sql) =>
        sql.all("SELECT * FROM schedules WHERE namespace_hash = ? ORDER BY start_at, identity", hash),
      );
      return Promise.all(rows.map((row) => toSchedule(row, values)));
    },
  };
}

/** Adds the input of each due slot to its session's inbox. */
export async function fireSchedules(terms: ScheduleTerms, namespaces: readonly string[]): Promise<void> {
  const { access, store, values } = terms;
  const { condition, values: hashes } = namespaceCondition(namespaces);
  const rows = await access.read(async (sql) =>
    sql.all(`SELECT * FROM schedules WHERE ${condition} ORDER BY next_at LIMIT ?`, ...hashes, STORE_PAGE_ROWS),
  );
  const { wallMs } = await access.read((sql) => sql.now());
  for (const row of rows) {
    const nextAt = readColumns("schedules", "next", row).integer("next_at");
    if (nextAt > wallMs) return;
    await fire(store, await toSchedule(row, values), row, wallMs);
  }
}

async function fire(store: SqlStore, schedule: Schedule, row: SqlRow, wallMs: number): Promise<void> {
  const { id, ownerNamespace, sessionKey, text, everyMs } = schedule;
  const first = readColumns("schedules", id, row).integer("next_at");
  const slot = first + Math.floor((wallMs - first) / everyMs) * everyMs;
  const idempotencyKey = `schedule:${id}:${slot}`;
  // The ids are derived, so two hosts that fire the same slot create one run.
  const runId = `run_${Buffer.from(hashNames(ownerNamespace, idempotencyKey)).toString("hex").slice(0, 32)}`;
  const input: JsonValue = { type: "user-text", text };
  await store.transactionWith(async (tx, sql) => {
    const moved = await sql.run(
      "UPDATE schedules SET next_at = ? WHERE id_hash = ? AND next_at = ?",
      ...[slot + everyMs, idHashOf(ownerNamespace, id), first],
    );
    if (moved === 0) return;
    await tx.runs.create({ runId, kind: "notification", ownerNamespace, sessionKey, rootRunId: runId });
    await tx.notifications.enqueue({
      ...{ notificationId: runId, idempotencyKey, ownerNamespace, sessionKey, runId, taskIds: [], input },
    });
  });
}

async function findSchedule(sql: Sql, hash: Uint8Array) {
  const row = await findByKey(sql, "SELECT * FROM schedules WHERE id_hash = ?", hash);
  return row === undefined ? undefined : readColumns("schedules", "set", row);
}

async function assertRoom(sql: Sql, namespaceHash: Uint8Array): Promise<void> {
  const [row] = await sql.all("SELECT count(*) AS count FROM schedules WHERE namespace_hash = ?", namespaceHash);
  if (Number(row?.count) < MAX_SCHEDULES) return;
  throw storeFailed(`the namespace has reached its limit of ${plural(MAX_SCHEDULES, "schedule")}`, "Remove some.");
}

async function toSchedule(row: SqlRow, values: Values): Promise<Schedule> {
  const column = readColumns("schedules", "list", row);
  const ids = column.ids("identity", IDS, IDS) as unknown as Pick<Schedule, "id" | "ownerNamespace" | "sessionKey">;
  const text = await values.toValue(`the text of schedule ${ids.id}`, column.text("text"));
  if (typeof text !== "string") throw damagedRow("schedules", ids.id, "text", "not a string");
  return { ...ids, text, everyMs: column.integer("every_ms"), startAt: column.integer("start_at") };
}
