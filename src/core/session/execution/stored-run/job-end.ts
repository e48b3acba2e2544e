// The end of a background job, and the notification of the session that launched it. Completed jobs that one run launched share one,
// once all of them have ended. A job that failed has its own, at once.

import { sha256Hex } from "../../../canon/digest.js";
import { isPlainObject, type JsonValue } from "../../../canon/value.js";
import type { ExecutionStorePorts } from "../../ports/execution-host.js";
import type { NotificationRecord } from "../../ports/notification-inbox.js";
import type { RunRecord } from "../../ports/run-store.js";
import { Book } from "../../subagents/book.js";
import { compact, GONE, type JobEnd, type StoredNotification } from "../../subagents/jobs.js";
import type { TurnEnd } from "../../state/keeper.js";
import { cancelRun, OPEN } from "./cancel-run.js";
import type { RoutedInput } from "./create-run.js";

/** The run of a background job. */
export type TaskRun = RunRecord &
  Required<Pick<RunRecord, "parentRunId" | "parentSessionKey" | "publicTaskId" | "groupId">>;

/** What the scheduler must know of a run. */
export type Created = Pick<RunRecord, "runId" | "ownerNamespace" | "sessionKey" | "kind">;

export function isTask(run: RunRecord): run is TaskRun {
  const { kind, parentRunId, parentSessionKey, publicTaskId, groupId } = run;
  const ids = [parentRunId, parentSessionKey, publicTaskId, groupId];
  return kind === "background-subagent" && ids.every((id) => id !== undefined);
}

export function groupOf(tx: ExecutionStorePorts, { parentRunId, groupId }: TaskRun): Promise<readonly RunRecord[]> {
  return tx.runs.listByGroup(parentRunId, groupId);
}

/** Undefined while the job runs. */
export function endOfTask(run: RunRecord | null): JobEnd | undefined {
  const { status, output, error } = run ?? {};
  switch (status) {
    case undefined:
      return GONE;
    case "completed":
      // A host may prune what has ended long ago.
      if (!isPlainObject(output) || typeof output["text"] !== "string")
        return { status, error: "its result was removed" };
      return { status, text: compact(output["text"]) };
    case "error":
      return { status, error: compact(error?.message ?? "it failed") };
    case "cancelled":
      // A turn that ended by itself has an output.
      return output === undefined ? { status } : { status: "aborted", error: "it was aborted" };
    default:
      return undefined;
  }
}

/** Notifies the parent of the end of a job. `group`: the runs of its group before this end. */
export async function notifyEnd(
  tx: ExecutionStorePorts,
  task: TaskRun,
  { ending, outcome }: Pick<TurnEnd, "ending" | "outcome">,
  group: readonly RunRecord[],
): Promise<readonly Created[]> {
  const { status } = ending;
  const others = group.filter(({ runId }) => runId !== task.runId);
  if (status === "completed") {
    const own = { ...task, status };
    return notifyGroup(
      tx,
      task,
      group.map((run) => (run.runId === task.runId ? own : run)),
    );
  }
  const error = status === "error" ? compact(outcome.error?.message ?? "it failed") : "it was aborted";
  const failed = await notify(tx, task, [{ taskId: task.publicTaskId, end: { status, error } }]);
  return [...failed, ...(await notifyGroup(tx, task, others))];
}

/** Notifies the parent of the completed jobs of a group, if all of the group have ended. */
export async function notifyGroup(
  tx: ExecutionStorePorts,
  task: TaskRun,
  group: readonly RunRecord[],
): Promise<readonly Created[]> {
  if (group.some(({ status }) => OPEN.includes(status))) return [];
  const pending = await tx.notifications.listPending(task.ownerNamespace, task.parentSessionKey);
  const notified = new Set(pending.flatMap(({ taskIds }) => taskIds));
  const completed = group.filter(
    ({ status, publicTaskId = "" }) => status === "completed" && !notified.has(publicTaskId),
  );
  const ends = completed.map(({ publicTaskId = "" }) => ({
    taskId: publicTaskId,
    end: { status: "completed" as const },
  }));
  return ends.length === 0 ? [] : notify(tx, task, ends);
}

async function notify(
  tx: ExecutionStorePorts,
  { ownerNamespace, parentSessionKey: sessionKey, parentRunId, input }: TaskRun,
  ends: StoredNotification["ends"],
): Promise<readonly Created[]> {
  const taskIds = ends.map(({ taskId }) => taskId);
  const idempotencyKey = `${parentRunId}:${taskIds.length === 1 ? taskIds.join() : sha256Hex(taskIds.join())}`;
  // The ids are derived, so a transaction that runs again creates the same run.
  const runId = sha256Hex(JSON.stringify([ownerNamespace, idempotencyKey])).slice(0, 32);
  const own = { ownerNamespace, sessionKey, runId };
  const stored = { ends } as unknown as JsonValue;
  const told = await tx.notifications.enqueue({
    ...own,
    notificationId: runId,
    idempotencyKey,
    taskIds,
    input: stored,
  });
  if (!told.ok) return [];
  const run = { ...own, kind: "notification" } as const;
  await tx.runs.create({ ...run, rootRunId: runId });
  if (pathTo(input).length <= 1) return [run];
  // Nobody resumes a notification of a subagent's session: its next turn takes it.
  await tx.runs.update(runId, { status: "completed" }, {});
  return [];
}

function pathTo(input: JsonValue | undefined): readonly string[] {
  return (input as Partial<RoutedInput> | undefined)?.path ?? [];
}

/** The jobs that a notification is about. */
export function endsIn({ input, taskIds }: NotificationRecord): StoredNotification["ends"] {
  const { ends } = isPlainObject(input) ? input : {};
  if (Array.isArray(ends)) return ends as unknown as StoredNotification["ends"];
  return taskIds.map((taskId) => ({ taskId, end: GONE }));
}

/** Cancels a job, and notifies its parent of the rest of its group if that has ended. */
export async function cancelTask(tx: ExecutionStorePorts, task: TaskRun): Promise<readonly Created[]> {
  const group = await groupOf(tx, task);
  await cancelRun(tx, task);
  return notifyGroup(
    tx,
    task,
    group.filter(({ runId }) => runId !== task.runId),
  );
}

/** Cancels the jobs that a turn has launched and does not keep. */
export async function dropTasks(
  tx: ExecutionStorePorts,
  runId: string,
  children: JsonValue | undefined,
): Promise<readonly Created[]> {
  const kept = Book.read(children);
  const created: Created[] = [];
  for (const run of await tx.runs.listByParentRunId(runId)) {
    if (!isTask(run) || !OPEN.includes(run.status) || kept.job(run.publicTaskId) !== undefined) continue;
    if (kept.running.length > 0) created.push(...(await cancelTask(tx, run)));
    else await cancelRun(tx, run);
  }
  return created;
}
