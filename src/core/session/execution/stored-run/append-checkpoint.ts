// One checkpoint with the events before it.

import type { SessionEvent } from "../../event.js";
import type { RunCheckpoint } from "../../ports/checkpoint-store.js";
import type { ExecutionStorePorts } from "../../ports/execution-host.js";
import { unexpected } from "../store-errors.js";

export interface CheckpointEvents {
  readonly leaseId: string;
  readonly events: readonly SessionEvent[];
  readonly firstOffset: number;
  /** What else is stored. It may be stored already. */
  readonly inside: readonly ((tx: ExecutionStorePorts) => Promise<void>)[];
}

/** A number: the version of the run, which is another one than expected. */
export async function appendCheckpoint(
  tx: ExecutionStorePorts,
  checkpoint: RunCheckpoint,
  { leaseId, events, firstOffset, inside }: CheckpointEvents,
): Promise<"stored" | "lost" | number> {
  const { runId, checkpointId, version, phases } = checkpoint;
  const appended = await tx.checkpoints.append(checkpoint, { expectedVersion: version - 1, leaseId });
  if (!appended.ok) {
    // The try before this one may have been carried out.
    if ((await tx.checkpoints.latest(runId))?.checkpointId === checkpointId) return "stored";
    return appended.reason === "lost-lease" ? "lost" : appended.currentVersion;
  }
  for (const work of inside) await work(tx);
  if (events.length === 0) return "stored";
  // A suspended run has no lease. The checkpoint has just checked it.
  const lease = phases.includes("suspended") ? {} : { leaseId };
  const logged = await tx.events.append(runId, events, { firstOffset, ...lease });
  if (!logged.ok) throw unexpected(`the events of run ${runId} do not continue at ${firstOffset}: ${logged.reason}`);
  return "stored";
}
