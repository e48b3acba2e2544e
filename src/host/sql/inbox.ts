// The inbox of sessions. A key is never free again within its namespace.

import {
  assertObjects,
  showValue,
  storeFailed,
  type NewNotification,
  type NotificationInbox,
} from "../../core/index.js";
import { runHashOf } from "./claims.js";
import type { Values } from "./codec.js";
import { findByKey, type Sql, type SqlAccess, type SqlRow } from "./engine.js";
import { hashNames, laneOf, toName } from "./names.js";
import { toNotification, type NotificationIdentity } from "./rows.js";

export function createInbox(access: SqlAccess, values: Values): NotificationInbox {
  const idHashOf = (id: string) => hashNames("notification", toName("the notification id", id));
  return {
    getByRunId: async (runId) => {
      const hash = runHashOf(runId);
      const row = await access.read((sql) => findOne(sql, "run_hash", hash));
      return row === undefined ? null : toNotification(row, values);
    },
    listPending: async (ownerNamespace, sessionKey) => {
      const lane = laneOf(ownerNamespace, sessionKey);
      const rows = await access.read(async (sql) => {
        await sql.lockList(lane);
        return sql.all(`SELECT * FROM inbox WHERE lane = ? AND status = 'pending' ORDER BY ord${sql.forUpdate}`, lane);
      });
      return Promise.all(rows.map((row) => toNotification(row, values)));
    },
    enqueue: async (notification) => {
      assertObjects("enqueue(notification)", notification);
      const identity = toIdentity(notification);
      const { notificationId, idempotencyKey, ownerNamespace, sessionKey, runId } = identity;
      const input = await values.toText(`notification ${notificationId}`, notification.input);
      const hashes = [idHashOf(notificationId), hashNames("key", ownerNamespace, idempotencyKey), runHashOf(runId)];
      const lane = laneOf(ownerNamespace, sessionKey);
      const [isNew, row] = await access.write(async (sql): Promise<[boolean, SqlRow]> => {
        await sql.lockList(lane, ...hashes);
        for (const [index, column] of KEYS.entries()) {
          const taken = await findOne(sql, column, hashes[index] as Uint8Array);
          if (taken !== undefined) return [false, taken];
        }
        await sql.run(
          `INSERT INTO inbox (id_hash, key_hash, run_hash, lane, identity, status, input) VALUES (?, ?, ?, ?, ?, 'pending', ?)`,
          ...[...hashes, lane, JSON.stringify(identity), input],
        );
        return [true, (await findOne(sql, "id_hash", hashes[0] as Uint8Array)) as SqlRow];
      });
      const record = await toNotification(row, values);
      return isNew ? { ok: true, record } : { ok: false, reason: "duplicate", record };
    },
    settle: async (notificationId, change) => {
      assertObjects("settle(notificationId, change)", change);
      const hash = idHashOf(notificationId);
      const deliveredBy = change.status === "acked" ? toName("deliveredBy", change.deliveredBy) : null;
      if (!["acked", "cancelled"].includes(change.status)) {
        throw storeFailed(`a notification cannot be ${showValue(change.status)}`, "Pass acked or cancelled.");
      }
      const { settled, row } = await access.write(async (sql) => {
        const found = await findOne(sql, "id_hash", hash);
        if (found?.status !== "pending") return { settled: false, row: found };
        const { wallMs } = await sql.now();
        await sql.run(
          "UPDATE inbox SET status = ?, delivered_by = ?, settled_at = ? WHERE id_hash = ?",
          ...[change.status, deliveredBy, wallMs, hash],
        );
        return { settled: true };
      });
      if (settled) return { ok: true };
      if (row === undefined) return { ok: false, reason: "not-found" };
      return { ok: false, reason: "settled", record: await toNotification(row, values) };
    },
  };
}

const KEYS = ["id_hash", "key_hash", "run_hash"] as const;

async function findOne(sql: Sql, column: (typeof KEYS)[number], hash: Uint8Array): Promise<SqlRow | undefined> {
  return findByKey(sql, `SELECT * FROM inbox WHERE ${column} = ?`, hash);
}

function toIdentity(notification: NewNotification): NotificationIdentity {
  const name = (key: "notificationId" | "idempotencyKey" | "ownerNamespace" | "sessionKey" | "runId") =>
    toName(key, notification[key]);
  return {
    notificationId: name("notificationId"),
    idempotencyKey: name("idempotencyKey"),
    ownerNamespace: name("ownerNamespace"),
    sessionKey: name("sessionKey"),
    runId: name("runId"),
    taskIds: notification.taskIds.map((id) => toName("a task id", id)),
  };
}
