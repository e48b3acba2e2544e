// The end of a run: its session, its events, what it was notified of and its status change as one step.

import type { AgentError } from "../../../errors.js";
import type { ExecutionStorePorts } from "../../ports/execution-host.js";
import type { RunFailure, RunRecord } from "../../ports/run-store.js";
import type { TurnEnd } from "../../state/keeper.js";
import { defined } from "../../../defined.js";
import { toSnapshot } from "../../state/snapshot.js";
import { removeTask } from "./cancel-run.js";
import { dropTasks, groupOf, isTask, notifyEnd, type Created } from "./job-end.js";
import type { LiveRun } from "./live-run.js";
import { toOutput } from "../read-run.js";
import { unexpected } from "../store-errors.js";

const STATUS_OF = { completed: "completed", aborted: "cancelled", error: "error" } as const;

/** `version`: that of the session, where it changed and is known. `created`: notifications of what ended. */
export type EndedRun =
  "conflict" | "cancelled" | "lost" | { readonly version?: string; readonly created?: readonly Created[] };

export async function endRun(
  tx: ExecutionStorePorts,
  live: LiveRun,
  { ending, state, last, outcome, isBare }: TurnEnd,
  isDurable: boolean,
): Promise<EndedRun> {
  const { runId, leaseId, sessionKey } = live;
  const status = STATUS_OF[ending.status];
  const record = await tx.runs.get(runId);
  if (record?.lease?.leaseId !== leaseId) {
    if (record?.status === "cancelled") return "cancelled";
    // An earlier try of ours may have been carried out.
    return record?.status === status && record.attempt === live.attempt ? {} : "lost";
  }
  const task = isDurable && isTask(record) ? record : undefined;
  // Jobs of one group that end at once read each other's rows first.
  const group = task === undefined ? [] : await groupOf(tx, task);
  let version: string | undefined;
  if (task !== undefined) await removeTask(tx, task, live.control?.children());
  else if (state !== undefined) {
    const done = await tx.sessions.commit(sessionKey, { state: toSnapshot(state) }, { expectedVersion: live.base });
    if (!done.ok) return "conflict";
    version = done.version;
  }
  const { firstOffset, events } = live.unstored;
  const told = await tx.events.append(runId, [...(isBare === true ? [] : events), ...last], { firstOffset, leaseId });
  if (!told.ok) throw unexpected(`the events of run ${runId} do not continue at ${firstOffset}: ${told.reason}`);
  await settleNotifications(tx, record, status === "error" ? [] : live.taken);
  const failure = ending.status === "error" ? { error: toFailure(ending.error) } : {};
  const changed = await tx.runs.update(runId, { status, output: toOutput(outcome), ...failure }, { leaseId });
  if (!changed.ok) throw unexpected(`run ${runId} could not be ended: ${changed.reason}`);
  await tx.checkpoints.drop(runId);
  const created: Created[] = [];
  // Nobody can ask for the jobs of a job, or for those of work that is not kept.
  if (task !== undefined) await dropTasks(tx, runId, undefined);
  else if (isDurable && status !== "completed")
    created.push(...(await dropTasks(tx, runId, status === "cancelled" ? state?.children : undefined)));
  if (task !== undefined) created.push(...(await notifyEnd(tx, task, { ending, outcome }, group)));
  return { created, ...defined({ version }) };
}

/** Ends a notification without a turn, since its session knows all that it tells. */
export async function dismissRun(tx: ExecutionStorePorts, { runId, leaseId }: LiveRun): Promise<void> {
  const ended = await tx.runs.update(runId, { status: "completed" }, { leaseId });
  if (!ended.ok) return;
  const notification = await tx.notifications.getByRunId(runId);
  if (notification !== null)
    await tx.notifications.settle(notification.notificationId, { status: "acked", deliveredBy: runId });
  await tx.checkpoints.drop(runId);
}

/** A run's own notification is done with in any case. Those that a turn has taken wait for another turn if it failed. */
async function settleNotifications(
  tx: ExecutionStorePorts,
  { runId, kind }: RunRecord,
  taken: readonly string[],
): Promise<void> {
  const done = { status: "acked", deliveredBy: runId } as const;
  for (const each of kind === "notification" ? [runId, ...taken] : taken) {
    const notification = await tx.notifications.getByRunId(each);
    if (notification === null) continue;
    const settled = await tx.notifications.settle(notification.notificationId, done);
    if (settled.ok && each !== runId)
      await tx.runs.update(each, { status: "completed" }, { from: ["queued", "suspended"] });
  }
}

export function toFailure({ code, message, retryable }: AgentError): RunFailure {
  return { code, message, retryable };
}
