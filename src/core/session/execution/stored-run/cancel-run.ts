// Cancels a run and everything below it, as part of a transaction.

import { isPlainObject, type JsonValue } from "../../../canon/value.js";
import { CHILD_KEY_PREFIX } from "../../namespace.js";
import type { ExecutionStorePorts } from "../../ports/execution-host.js";
import type { RunRecord, RunStatus } from "../../ports/run-store.js";
import { Book } from "../../subagents/book.js";
import type { JournalItem } from "./journal-items.js";

export const OPEN: readonly RunStatus[] = ["queued", "leased", "running", "suspended", "needs-recovery"];

/** Cancels a run and the runs that it has launched. If a run has ended before, its end stands. */
export async function cancelRun(tx: ExecutionStorePorts, run: RunRecord): Promise<void> {
  await cancelOne(tx, run.runId);
  for (const child of await tx.runs.listByParentRunId(run.runId))
    if (OPEN.includes(child.status)) await cancelRun(tx, child);
}

async function cancelOne(tx: ExecutionStorePorts, runId: string): Promise<void> {
  const changed = await tx.runs.update(runId, { status: "cancelled" }, { from: OPEN });
  if (!changed.ok) return;
  const end = await tx.events.append(runId, [], { firstOffset: 0 });
  await tx.events.append(runId, [{ type: "turn-abort" }], { firstOffset: end.cursor.offset });
  const { kind } = changed.record;
  if (kind === "background-subagent") await removeTask(tx, changed.record);
  await tx.checkpoints.drop(runId);
  const notification = kind === "notification" ? await tx.notifications.getByRunId(runId) : null;
  if (notification?.status === "pending")
    await tx.notifications.settle(notification.notificationId, { status: "cancelled" });
}

async function lastChildren(tx: ExecutionStorePorts, runId: string): Promise<JsonValue | undefined> {
  const journal = ((await tx.checkpoints.load(runId))?.journal ?? []) as unknown as readonly JournalItem[];
  return journal.findLast((item) => item.t === "children")?.children;
}

/** Removes the session of a background job, which nobody else may read, and the sessions below it. `children`: what is not stored yet. */
export async function removeTask(
  tx: ExecutionStorePorts,
  { runId, ownerNamespace, sessionKey }: RunRecord,
  children?: JsonValue,
): Promise<void> {
  await removeBelow(tx, children ?? (await lastChildren(tx, runId)));
  await removeSession(tx, { ownerNamespace, sessionKey });
}

/** Removes a session and the notifications that wait for it. */
export async function removeSession(
  tx: ExecutionStorePorts,
  { ownerNamespace, sessionKey }: Pick<RunRecord, "ownerNamespace" | "sessionKey">,
): Promise<void> {
  await tx.sessions.delete(sessionKey);
  for (const { notificationId } of await tx.notifications.listPending(ownerNamespace, sessionKey))
    await tx.notifications.settle(notificationId, { status: "cancelled" });
}

async function removeBelow(
  tx: ExecutionStorePorts,
  children: JsonValue | undefined,
  seen: Set<string> = new Set(),
): Promise<void> {
  for (const key of keysIn(children)) {
    if (seen.has(key)) continue;
    seen.add(key);
    const stored = await tx.sessions.load(key);
    await removeBelow(tx, isPlainObject(stored?.state) ? stored.state["children"] : undefined, seen);
    await tx.sessions.delete(key);
  }
}

/** The keys of the sessions of subagents. A state that cannot be read must not keep a run from being cancelled. */
export function keysIn(children: JsonValue | undefined): readonly string[] {
  try {
    return [...Book.read(children).keys.keys()].filter((key) => key.startsWith(CHILD_KEY_PREFIX));
  } catch {
    return [];
  }
}
