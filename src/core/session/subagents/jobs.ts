// Where background jobs run. The parent's turn knows this contract alone: in one process a job is a promise, and with a durable host
// it is a row of the store that any process may work on.

import { defined } from "../../defined.js";
import { MAX_CHILD_TEXT } from "../../limits.js";
import type { Maybe } from "../../time/wait.js";
import type { JobStatus, SessionEvent } from "../event.js";
import type { RunOrigin } from "../state/keeper.js";
import type { SessionState } from "../state/snapshot.js";
import type { KnownJob } from "./book.js";

const CUT = "…[truncated]";
/** Characters of a result of the tools for subagents, so that the loop does not cut a text that is cut here. */
export const RESULT_LIMIT = MAX_CHILD_TEXT + CUT.length;

/** The end of a job that nobody runs. */
export const GONE: JobEnd = { status: "aborted", error: "the process that ran this task has ended", lost: true };

/** How a job, or a blocking call of a subagent, ended. */
export interface JobEnd {
  readonly status: Exclude<JobStatus, "running">;
  /** Compact text of a completed one. */
  readonly text?: string;
  readonly error?: string;
  /** Nobody runs the job, and its result is lost. */
  readonly lost?: true;
}

/** A job to launch. */
export interface NewJob {
  readonly taskId: string;
  /** The run, and the public id of the call in it, that launches the job. */
  readonly parentRunId: string;
  readonly callId: string;
  readonly subagent: string;
  /** The key of the job's own session. */
  readonly childKey: string;
  readonly prompt: string;
  /** In a replay, a job that is cancelled stands before the step after this number of steps, until it is. */
  readonly holdAfter?: number;
  readonly origin: RunOrigin;
}

/** The background jobs of one session. */
export interface JobDesk {
  /**
   * Starts a job. `asked` is called once the job has made its first request, or has ended. `update` is called with the type of each of
   * its events.
   */
  launch(job: NewJob, asked: () => void, update: (type: string) => void): Maybe<void>;
  /** How a job ended. Undefined while it runs. A job that nobody runs is `lost`. */
  endOf(taskId: string): Maybe<JobEnd | undefined>;
  /** Resolves when the job has ended. Rejects when `signal` fires. */
  whenEnded(taskId: string, signal: AbortSignal): Promise<JobEnd>;
  /** Ends jobs as `cancelled`. Resolves when that is stored, and does not wait for their work to stop. */
  cancel(taskIds: readonly string[]): Maybe<void>;
  /** In a replay: resolves when a job stands where it is to be cancelled, or has ended. */
  whenHeld(taskId: string, signal: AbortSignal): Promise<void>;
  /** Resolves when no work of a cancelled job is under way: to the answers of its model, or undefined if that is asked elsewhere. */
  whenStopped(taskId: string, signal: AbortSignal): Promise<number | undefined>;
  /** The result was retrieved, so nobody asks again. */
  forget(taskId: string): void;
}

/** The end of jobs that a session has yet to learn. */
export interface StoredNotification {
  /** The run that delivers it, unless a turn takes it first. */
  readonly runId: string;
  readonly ends: readonly { readonly taskId: string; readonly end: JobEnd }[];
}

/** Background jobs that are runs of a durable host, so that any process may carry them out. */
export interface StoredJobs {
  deskOf(sessionKey: string): JobDesk;
  /** The notifications that wait for a session, oldest first. */
  pending(sessionKey: string): Promise<readonly StoredNotification[]>;
  /** The ids of the runs of a session that may begin now. */
  heads(sessionKey: string): Promise<readonly string[]>;
  /** Notes that a turn has taken a notification. It is done with if the turn does not fail. */
  took(turnRunId: string, notificationRunId: string): void;
  /** The stored state of a session. */
  read(sessionKey: string): Promise<SessionState>;
}

/** A text of a subagent as its parent's model reads it. */
export function compact(text: string): string {
  return text.length <= MAX_CHILD_TEXT ? text : `${text.slice(0, MAX_CHILD_TEXT).toWellFormed()}${CUT}`;
}

/** What the parent's model reads of a job. */
export function answerOf(
  { id, subagent }: KnownJob,
  { status, text, error }: { readonly status: JobStatus; readonly text?: string; readonly error?: string },
): unknown {
  return { task_id: id, subagent, status, ...defined({ text, error }) };
}

export function updateOf(
  fields: { delegateToolCallId: string; subagent: string; task_id?: string },
  type: string,
): SessionEvent {
  return { type: "subagent-job-update", ...fields, eventType: type as SessionEvent["type"] };
}
