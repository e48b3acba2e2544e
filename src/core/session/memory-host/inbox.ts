// Notifications in memory.

import { MAX_HOST_RUNS } from "../../limits.js";
import type { NewNotification, NotificationInbox, NotificationRecord } from "../ports/notification-inbox.js";
import type { Desk } from "./desk.js";
import { keyOf, type Changes, type Tables } from "./tables.js";
import { assertObjects, assertStoreId, assertStoreIds, ownStoredValue, storeFailed } from "../../canon/stored-value.js";

export function createInbox({ tables, call }: Desk): NotificationInbox {
  const { notifications } = tables;
  return {
    getByRunId: (runId) =>
      call(() => {
        assertStoreIds({ runId });
        return notifications.get(tables.notificationRuns.get(runId) ?? "") ?? null;
      }),
    listPending: (ownerNamespace, sessionKey) =>
      call(() => {
        assertStoreIds({ ownerNamespace, sessionKey });
        const ids = tables.inboxes.get(keyOf(ownerNamespace, sessionKey)) ?? [];
        return ids.map((id) => notifications.get(id) as NotificationRecord);
      }),
    enqueue: (notification) =>
      call((changes) => {
        assertObjects("enqueue(notification)", notification);
        return enqueue(tables, changes, notification);
      }),
    settle: (notificationId, change) =>
      call((changes) => {
        assertObjects("settle(notificationId, change)", change);
        return settle(tables, changes, notificationId, change);
      }),
  };
}

function enqueue(
  tables: Tables,
  changes: Changes,
  given: NewNotification,
): Awaited<ReturnType<NotificationInbox["enqueue"]>> {
  const { notificationId, idempotencyKey, ownerNamespace, sessionKey, runId, taskIds, input } = given;
  const ids = { notificationId, idempotencyKey, ownerNamespace, sessionKey, runId };
  for (const [name, id] of Object.entries(ids)) assertStoreId(name, id);
  const { notifications } = tables;
  const key = keyOf(ownerNamespace, idempotencyKey);
  const known = [notificationId, tables.notificationKeys.get(key), tables.notificationRuns.get(runId)];
  const taken = known.map((id) => notifications.get(id ?? "")).find((found) => found !== undefined);
  if (taken !== undefined) return { ok: false, reason: "duplicate", record: taken };
  if (notifications.size >= MAX_HOST_RUNS) {
    throw storeFailed(
      `the in-memory execution host has reached its limit of ${MAX_HOST_RUNS} notifications`,
      "Create a new host, or use one that keeps them in a database.",
    );
  }
  const fields = { ...ids, taskIds, input, status: "pending" as const, order: ++tables.counter };
  const record: NotificationRecord = ownStoredValue(`notification ${JSON.stringify(notificationId)}`, fields);
  changes.put(notifications, notificationId, record);
  changes.put(tables.notificationKeys, key, notificationId);
  changes.put(tables.notificationRuns, runId, notificationId);
  changes.link(tables.inboxes, keyOf(ownerNamespace, sessionKey), notificationId);
  return { ok: true, record };
}

function settle(
  tables: Tables,
  changes: Changes,
  notificationId: string,
  change: Parameters<NotificationInbox["settle"]>[1],
): Awaited<ReturnType<NotificationInbox["settle"]>> {
  assertStoreIds({ notificationId });
  const record = tables.notifications.get(notificationId);
  if (record === undefined) return { ok: false, reason: "not-found" };
  if (record.status !== "pending") return { ok: false, reason: "settled", record };
  const next = ownStoredValue(`notification ${JSON.stringify(notificationId)}`, { ...record, ...change });
  changes.put(tables.notifications, notificationId, next);
  changes.unlink(tables.inboxes, keyOf(record.ownerNamespace, record.sessionKey), notificationId);
  return { ok: true };
}
