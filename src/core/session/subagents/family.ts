// What a session's other parts know of its subagents.

import type { AgentRun } from "../run/run.js";
import type { SessionState } from "../state/snapshot.js";
import type { OpenSeams } from "../turn/seams.js";

export interface Family {
  /** Takes part in a turn. */
  readonly openSeams: OpenSeams;
  /** Called when a session has no turn under way and none waits. */
  idle(sessionKey: string): void;
  /** The run id of the oldest notification of an idle session. Null: none waits, and no job runs. */
  nextNotification(sessionKey: string, signal: AbortSignal | undefined): Promise<string | null>;
  /** Starts the turn of a notification. Null: it was taken already, or is not ours. */
  resume(runId: string): Promise<AgentRun | null>;
  /** Aborts whatever runs under a session. */
  cancel(sessionKey: string): Promise<void>;
  /** Removes the sessions under a session that is being deleted. */
  remove(sessionKey: string, state: SessionState): Promise<void>;
  close(): Promise<void>;
}
