// Forgets the oldest runs that have ended, so that a host in memory can run for ever.

import { MAX_ENDED_RUNS } from "../../limits.js";
import type { RunRecord } from "../ports/run-store.js";
import { isTerminal } from "./order.js";
import { keyOf, type Changes, type Tables } from "./tables.js";

/** Notes the end of a run, and forgets an older one if there are too many. */
export function noteEnd(tables: Tables, changes: Changes, { runId }: RunRecord): void {
  const { ended, runs } = tables;
  changes.put(ended, runId, true);
  if (ended.size <= MAX_ENDED_RUNS) return;
  for (const id of ended.keys()) {
    const run = runs.get(id) as RunRecord;
    if (isNeeded(tables, run)) continue;
    forget(tables, changes, run);
    return;
  }
}

/** True while its parent may ask for it, or something of its group or below it is open. */
function isNeeded({ runs, children }: Tables, { runId, parentRunId }: RunRecord): boolean {
  const isOpen = (id: string): boolean => {
    const run = runs.get(id);
    return run !== undefined && !isTerminal(run.status);
  };
  const family = parentRunId === undefined ? [] : [parentRunId, ...(children.get(parentRunId) ?? [])];
  return family.some(isOpen) || (children.get(runId) ?? []).some(isOpen);
}

function forget(tables: Tables, changes: Changes, run: RunRecord): void {
  const { runId, ownerNamespace, parentRunId, parentSessionKey, dedupeKey, publicTaskId } = run;
  for (const table of [tables.runs, tables.ended, tables.checkpoints, tables.events]) changes.remove(table, runId);
  const free = (table: Map<string, string>, key: string): void => {
    if (table.get(key) === runId) changes.remove(table, key);
  };
  if (dedupeKey !== undefined) free(tables.dedupeKeys, keyOf(ownerNamespace, dedupeKey));
  if (parentSessionKey !== undefined && publicTaskId !== undefined)
    free(tables.tasks, keyOf(ownerNamespace, parentSessionKey, publicTaskId));
  if (parentRunId !== undefined) changes.unlink(tables.children, parentRunId, runId);
  const notification = tables.notifications.get(tables.notificationRuns.get(runId) ?? "");
  if (notification === undefined || notification.status === "pending") return;
  changes.remove(tables.notifications, notification.notificationId);
  changes.remove(tables.notificationKeys, keyOf(notification.ownerNamespace, notification.idempotencyKey));
  changes.remove(tables.notificationRuns, runId);
}
