// The turn of a run that this process has claimed.

import type { JsonValue } from "../../canon/value.js";
import type { Ports } from "../../ports.js";
import { readInput, type ReadInput } from "../input.js";
import type { ExecutionStore } from "../ports/execution-host.js";
import type { NotificationRecord } from "../ports/notification-inbox.js";
import type { RunRecord } from "../ports/run-store.js";
import { askAgain } from "../state/ask-store.js";
import { Book } from "../subagents/book.js";
import { toReminder, type EndedJob } from "../subagents/reminder.js";
import type { RoutedInput } from "./stored-run/create-run.js";
import { endsIn } from "./stored-run/job-end.js";

/** A run that this process has claimed. */
export interface TakenRun {
  readonly record: RunRecord;
  /** The notifications that its turn has taken. */
  readonly taken: readonly string[];
  /** What its session knows of its subagents. Throws `store-failed` for a state that cannot be read. */
  readonly children: () => JsonValue | undefined;
}

export interface RunOrder {
  /** The names of the subagents from the agent of the host to the one that carries out the run. */
  readonly path: readonly string[];
  readonly read: ReadInput;
  readonly isNotification?: boolean;
  readonly brings?: boolean;
}

/** Undefined for a notification that has nothing to tell. */
export async function toOrder(
  { notifications }: ExecutionStore,
  ports: Pick<Ports, "timer">,
  taken: TakenRun,
): Promise<RunOrder | undefined> {
  const { kind, input, runId } = taken.record;
  if (kind === "subagent" || kind === "background-subagent") {
    const { path, input: own } = input as unknown as RoutedInput;
    return { path, read: readInput(own) };
  }
  if (kind !== "notification") return { path: [], read: readInput(input) };
  const stored = await askAgain(ports, "getByRunId", () => notifications.getByRunId(runId));
  if (stored === null) return { path: [], read: readInput(input), isNotification: true, brings: true };
  if (stored.status !== "pending") return undefined;
  if (stored.taskIds.length === 0)
    return { path: [], read: readInput(stored.input), isNotification: true, brings: true };
  const ended = endedIn(stored, taken);
  // The turn takes it out of the inbox itself.
  return ended.length === 0 ? undefined : { path: [], read: toReminder(ended), isNotification: true };
}

/** The jobs that the model has yet to learn of, or that this turn has told it of. */
function endedIn(stored: NotificationRecord, { children, taken, record: { runId } }: TakenRun): readonly EndedJob[] {
  const book = Book.read(children());
  return endsIn(stored).flatMap(({ taskId, end }) => {
    const job = book.job(taskId);
    return job !== undefined && (job.learnt === "running" || taken.includes(runId)) ? [{ job, end }] : [];
  });
}
