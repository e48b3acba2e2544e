// Runs of sessions: which worker may execute which run, and in what order. See `SessionStore` for the contract of every port.

import type { JsonValue } from "../../canon/value.js";
import type { Refused } from "./session-store.js";

/** The purpose of a run. */
export type RunKind = "user-turn" | "subagent" | "background-subagent" | "notification" | "tool-recovery";

/** `completed`, `error` and `cancelled` are terminal. A terminal run never changes again. */
export type RunStatus =
  "queued" | "leased" | "running" | "suspended" | "completed" | "error" | "cancelled" | "needs-recovery";

/** Why a run failed. `code` is the code of an `AgentError`. */
export interface RunFailure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** A run as it is created. The caller chooses the ids. */
export interface NewRun {
  readonly runId: string;
  readonly kind: RunKind;
  readonly ownerNamespace: string;
  readonly sessionKey: string;
  /** The first run of the tree. A run without a parent names itself. */
  readonly rootRunId: string;
  readonly parentRunId?: string;
  readonly parentSessionKey?: string;
  /** Unique within its namespace, permanently. */
  readonly dedupeKey?: string;
  /** The task id that the parent's model knows: `bg_` and 16 hexadecimal digits. */
  readonly publicTaskId?: string;
  /** The run that launched the group of background jobs. */
  readonly groupId?: string;
  readonly input?: JsonValue;
  readonly output?: JsonValue;
  readonly error?: RunFailure;
}

/** A run as it is stored. Times are milliseconds of the engine's clock. */
export interface RunRecord extends NewRun {
  readonly status: RunStatus;
  /** The number of claims. Never decreases. */
  readonly attempt: number;
  /** Claims since the last checkpoint, minus the released ones. */
  readonly stalls: number;
  /** The lease, or the hold of a queued run. `untilMs` is a time of the engine's clock. */
  readonly lease?: { readonly leaseId: string; readonly untilMs: number };
  readonly checkpointVersion: number;
  readonly readyAtMs: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly revision: number;
}

/** The result of a write: the current record. */
export interface Kept<T> {
  readonly ok: true;
  readonly record: T;
}

/** The key is taken. `record` is the record that has it. */
export interface Taken<T> {
  readonly ok: false;
  readonly reason: "duplicate";
  readonly record: T;
}

export interface CreateOptions {
  /** Until `leaseMs` from now, only this lease may claim the queued run. */
  readonly hold?: { readonly leaseId: string; readonly leaseMs: number };
  /** The run becomes ready this many milliseconds from now. Default 0. */
  readonly readyAfterMs?: number;
}

export interface ClaimOptions {
  readonly leaseId: string;
  readonly leaseMs: number;
  readonly ownerNamespace: string;
  /** If false, the run can be claimed even if it is not the head of its session. Default true. */
  readonly exclusive?: boolean;
}

/** The fields that {@link RunStore.update} may change. */
export interface RunChange {
  readonly status?: RunStatus;
  readonly output?: JsonValue;
  readonly error?: RunFailure;
}

/** The conditions under which {@link RunStore.update} changes anything. */
export interface RunExpectation {
  /** The latest lease of the run. An expired lease counts until another claim replaces it. */
  readonly leaseId?: string;
  readonly from?: readonly RunStatus[];
  /** Releases lease and hold, and subtracts the claim from `stalls`. */
  readonly release?: boolean;
}

/**
 * The records of runs.
 *
 * Order in a session: a run that has begun is the head until it is terminal. It has begun if it was claimed and not returned to the
 * queue, or if it has a checkpoint. Otherwise the head is the first ready run by `readyAtMs`, then by creation. A queued notification
 * does not block other runs, but waits for older runs of other kinds. A run that is not ready does not block other runs.
 */
export interface RunStore {
  /** Atomic. "duplicate" if the run id, or the dedupe key in its namespace, is taken. */
  create(run: NewRun, options?: CreateOptions): Promise<Kept<RunRecord> | Taken<RunRecord>>;
  get(runId: string): Promise<RunRecord | null>;
  getByDedupeKey(ownerNamespace: string, dedupeKey: string): Promise<RunRecord | null>;
  getByTaskId(ownerNamespace: string, parentSessionKey: string, publicTaskId: string): Promise<RunRecord | null>;
  /** In the order of creation, like all lists. */
  listByParentRunId(parentRunId: string): Promise<readonly RunRecord[]>;
  listByGroup(parentRunId: string, groupId: string): Promise<readonly RunRecord[]>;
  /** Runs that are not terminal. */
  listOpen(
    ownerNamespace: string,
    where: { readonly sessionKey: string } | { readonly parentSessionKey: string },
  ): Promise<readonly RunRecord[]>;
  /**
   * Takes the run: status `leased`, one more `attempt`, one more stall. A run can be claimed if it is queued and ready, if it is suspended,
   * or if it is leased or running and its lease has expired. "leased": another lease or hold is live. "not-claimable": another status, or not
   * ready. "session-busy": not the head of its session.
   */
  claim(
    runId: string,
    options: ClaimOptions,
  ): Promise<Kept<RunRecord> | Refused<"leased" | "not-claimable" | "not-found" | "session-busy">>;
  /** Extends a lease or a hold. */
  renew(
    runId: string,
    leaseId: string,
    leaseMs: number,
  ): Promise<
    { readonly ok: true } | { readonly ok: false; readonly reason: "lost"; readonly status: RunStatus | "gone" }
  >;
  /** Compare-and-set. A status other than `leased` and `running` drops lease and hold in the same step. */
  update(
    runId: string,
    change: RunChange,
    expected: RunExpectation,
  ): Promise<Kept<RunRecord> | Refused<"lost-lease" | "status" | "not-found", RunRecord>>;
  /** Calls `changed` after each commit of any process that changes the status. Returns a function that stops it. Required for durable hosts. */
  watch?(runId: string, changed: (status: RunStatus) => void): () => void;
}
