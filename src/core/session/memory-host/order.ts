// Decides which run of a session may be claimed.

import type { RunRecord, RunStatus } from "../ports/run-store.js";

const TERMINAL: readonly RunStatus[] = ["completed", "error", "cancelled"];

export function isTerminal(status: RunStatus): boolean {
  return TERMINAL.includes(status);
}

/** True for a run under a lease, false for one that waits with a hold. */
export function isHeld({ status }: RunRecord): boolean {
  return status === "leased" || status === "running";
}

/**
 * True for an open run that was claimed and not returned to the queue, or that has a checkpoint. Such a run stays the head even if its
 * lease has expired, since its last holder may still write.
 */
function hasBegun({ status, checkpointVersion }: RunRecord): boolean {
  return status !== "queued" || checkpointVersion > 0;
}

export function isReady(run: RunRecord, now: number): boolean {
  return hasBegun(run) || run.readyAtMs <= now;
}

export function isLive(run: RunRecord, now: number): boolean {
  return run.lease !== undefined && run.lease.untilMs > now;
}

/** Why the status or the time forbids a claim by `leaseId`, if they do. It does not check whether the run is the head. */
export function findObstacle(run: RunRecord, leaseId: string, now: number): "not-claimable" | "leased" | undefined {
  if (isTerminal(run.status) || run.status === "needs-recovery" || !isReady(run, now)) return "not-claimable";
  if (isLive(run, now) && (isHeld(run) || run.lease?.leaseId !== leaseId)) return "leased";
  return undefined;
}

/** `open` are the open runs of the session of `run`, in the order of creation. */
export function isHead(run: RunRecord, open: readonly RunRecord[], now: number): boolean {
  const before = beforeIn(open, run);
  if (open.some(hasBegun)) return hasBegun(run) && !before.some(hasBegun);
  return isReady(run, now) && !before.some((other) => isReady(other, now) && other.kind !== "notification");
}

/** The runs of a list that come before one of them: by the time they are ready, then by creation. */
function beforeIn(list: readonly RunRecord[], run: RunRecord): RunRecord[] {
  const place = list.findIndex(({ runId }) => runId === run.runId);
  return list.filter((other, index) => {
    return other.readyAtMs < run.readyAtMs || (other.readyAtMs === run.readyAtMs && index < place);
  });
}
