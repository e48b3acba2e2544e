// The progress of a run: an append-only journal and a small state. See `SessionStore` for the contract of every port.

import type { JsonValue } from "../../canon/value.js";
import type { ToolRetryPolicy } from "../../tools/tool.js";

/** The point that a run has reached. One checkpoint has several phases if nothing happens between them. */
export type CheckpointPhase =
  | "before-model"
  | "after-model"
  | "before-tool"
  | "after-tool"
  | "before-child-run"
  | "child-linked"
  | "before-notification"
  | "after-notification"
  | "suspended";

/** A tool call that may have begun, without its arguments and result. */
export interface ToolExecutionCheckpoint {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly retryPolicy: ToolRetryPolicy;
}

/** The progress of a run. */
export interface RunCheckpoint {
  readonly checkpointId: string;
  readonly runId: string;
  /** Counts from 1 without gaps. */
  readonly version: number;
  readonly phases: readonly CheckpointPhase[];
  readonly childRunId?: string;
  readonly pendingTools?: readonly ToolExecutionCheckpoint[];
  /** At most 64 KiB of canonical JSON. */
  readonly runtimeState: JsonValue;
  /** The items of the journal since the previous checkpoint. */
  readonly appended: readonly JsonValue[];
}

/** The checkpoints of runs. */
export interface CheckpointStore {
  latest(runId: string): Promise<RunCheckpoint | null>;
  /** The latest checkpoint and the whole journal: the `appended` of all versions in order. */
  load(runId: string): Promise<{ readonly checkpoint: RunCheckpoint; readonly journal: readonly JsonValue[] } | null>;
  /**
   * Appends under the run's lease, at `expectedVersion` (0 before the first). Also sets the run's version, resets its stalls to 0, and sets
   * its status to `running`, or to `suspended` if that is one of the phases.
   */
  append(
    checkpoint: RunCheckpoint,
    options: { readonly expectedVersion: number; readonly leaseId: string },
  ): Promise<
    | { readonly ok: true; readonly version: number }
    | { readonly ok: false; readonly reason: "stale-version" | "lost-lease"; readonly currentVersion: number }
  >;
  drop(runId: string): Promise<void>;
}
