// Checkpoints of runs in memory. The journal only grows, so a step costs the same at any length.

import { MAX_RUNTIME_STATE_BYTES } from "../../limits.js";
import { showValue } from "../../text/show.js";
import type { CheckpointStore, RunCheckpoint } from "../ports/checkpoint-store.js";
import type { Desk } from "./desk.js";
import { isHeld } from "./order.js";
import { changeRun } from "./runs.js";
import type { Changes, Tables } from "./tables.js";
import { assertObjects, assertStoreIds, ownStoredValue, storeFailed } from "../../canon/stored-value.js";

export function createCheckpoints({ tables, now, call }: Desk): CheckpointStore {
  const { checkpoints } = tables;
  return {
    latest: (runId) => call(() => (assertStoreIds({ runId }), checkpoints.get(runId)?.checkpoint ?? null)),
    load: (runId) =>
      call(() => {
        assertStoreIds({ runId });
        const kept = checkpoints.get(runId);
        return kept === undefined ? null : { checkpoint: kept.checkpoint, journal: [...kept.journal] };
      }),
    append: (checkpoint, options) =>
      call((changes) => {
        assertObjects("append(checkpoint, { expectedVersion, leaseId })", checkpoint, options);
        return append(tables, changes, now(), checkpoint, options);
      }),
    drop: (runId) =>
      call((changes) => {
        assertStoreIds({ runId });
        changes.remove(checkpoints, runId);
      }),
  };
}

function append(
  tables: Tables,
  changes: Changes,
  now: number,
  checkpoint: RunCheckpoint,
  { expectedVersion, leaseId }: { expectedVersion: number; leaseId: string },
): Awaited<ReturnType<CheckpointStore["append"]>> {
  const { runId, checkpointId, version } = checkpoint;
  assertStoreIds({ runId, leaseId, checkpointId });
  const run = tables.runs.get(runId);
  const currentVersion = run?.checkpointVersion ?? 0;
  if (run === undefined || !isHeld(run) || run.lease?.leaseId !== leaseId)
    return { ok: false, reason: "lost-lease", currentVersion };
  if (currentVersion !== expectedVersion) return { ok: false, reason: "stale-version", currentVersion };
  if (version !== expectedVersion + 1) {
    throw storeFailed(
      `checkpoint ${showValue(checkpointId)} has version ${showValue(version)}, but the next one is ${expectedVersion + 1}`,
      "Use the expected version plus 1 as the version of each checkpoint.",
    );
  }
  const name = (): string => `checkpoint ${JSON.stringify(checkpointId)}`;
  const own = ownStoredValue(name, checkpoint);
  ownStoredValue(() => `the runtimeState of ${name()}`, own.runtimeState, MAX_RUNTIME_STATE_BYTES);
  const journal = tables.checkpoints.get(runId)?.journal ?? [];
  changes.extend(journal, own.appended);
  changes.put(tables.checkpoints, runId, { checkpoint: own, journal });
  const isSuspended = own.phases.includes("suspended");
  changeRun(tables, changes, now, run, {
    checkpointVersion: version,
    stalls: 0,
    status: isSuspended ? "suspended" : "running",
    ...(isSuspended ? { lease: undefined } : {}),
  });
  return { ok: true, version };
}
