// Delivers runs of the host in memory: when they are enqueued, when the run before them ends, and by a sweep.

import { MAX_TIMER_MS, MEMORY_SWEEP_MS } from "../../limits.js";
import type { Ports } from "../../ports.js";
import { showValue } from "../../text/show.js";
import { thrownText } from "../../text/thrown.js";
import type { ExecutionScheduler } from "../ports/execution-host.js";
import type { RunRecord } from "../ports/run-store.js";
import { findObstacle, isHead, isLive, isTerminal } from "./order.js";
import { laneOf } from "./runs.js";
import type { Changes } from "./tables.js";
import type { MemoryStore } from "./store.js";
import { assertObjects, assertStoreId, storeFailed } from "../../canon/stored-value.js";

export interface MemoryScheduler extends ExecutionScheduler {
  /** Must be called after each step of the store. */
  committed(statuses: Changes["statuses"]): void;
  close(): void;
}

export function createScheduler(
  store: Pick<MemoryStore, "tables" | "now">,
  ports: Pick<Ports, "timer" | "warn">,
  onResume: ((runId: string) => void) | undefined,
): MemoryScheduler {
  const { tables, now } = store;
  const deliver = (runId: string) => {
    try {
      onResume?.(runId);
    } catch (error) {
      ports.warn(`playhead: onResume threw for run ${showValue(runId)}: ${thrownText(error)}`);
    }
  };
  const alarms = createAlarms(now, ports, (runId) => {
    const run = tables.runs.get(runId);
    if (run !== undefined && !isTerminal(run.status)) deliver(runId);
  });
  let stopSweep: (() => void) | undefined;
  let isClosed = false;

  const sweep = () => {
    stopSweep = undefined;
    for (const ids of [...tables.lanes.values()]) {
      for (const run of freeHeads(store, tables.runs.get(ids[0] ?? ""))) deliver(run.runId);
    }
    sweepLater();
  };
  /** Sweeps only while a run is open, so that the process can end. */
  const sweepLater = () => {
    if (onResume === undefined || isClosed || stopSweep !== undefined || tables.lanes.size === 0) return;
    stopSweep = ports.timer(MEMORY_SWEEP_MS, sweep);
  };

  return {
    async enqueueRun(runId, options) {
      assertOpen(isClosed);
      assertStoreId("runId", runId);
      assertObjects("enqueueRun(runId, { ownerNamespace, sessionKey, kind })", options);
      const { runAfterMs = 0 } = options;
      if (!Number.isSafeInteger(runAfterMs) || runAfterMs < 0)
        throw storeFailed(`runAfterMs is ${showValue(runAfterMs)}`, "Pass whole milliseconds of 0 or more.");
      if (onResume !== undefined) alarms.set(runId, runAfterMs);
    },
    async cancelRun(runId) {
      assertOpen(isClosed);
      alarms.clear(runId);
    },
    committed(statuses) {
      sweepLater();
      if (onResume === undefined) return;
      for (const runId of statuses.keys()) {
        const run = tables.runs.get(runId);
        if (run === undefined || !isTerminal(run.status)) continue;
        for (const next of freeHeads(store, run)) alarms.set(next.runId, 0);
      }
    },
    close() {
      isClosed = true;
      stopSweep?.();
      alarms.clearAll();
    },
  };
}

/** One alarm for each id. The earlier time wins. */
function createAlarms(now: () => number, ports: Pick<Ports, "timer">, ring: (id: string) => void) {
  const alarms = new Map<string, { readonly at: number; readonly stop: () => void }>();
  return {
    set(id: string, ms: number): void {
      const at = now() + ms;
      const before = alarms.get(id);
      if (before !== undefined && before.at <= at) return;
      before?.stop();
      const fire = () => {
        alarms.delete(id);
        ring(id);
      };
      alarms.set(id, { at, stop: ports.timer(Math.min(ms, MAX_TIMER_MS), fire) });
    },
    clear(id: string): void {
      alarms.get(id)?.stop();
      alarms.delete(id);
    },
    clearAll(): void {
      for (const { stop } of alarms.values()) stop();
      alarms.clear();
    },
  };
}

/** The runs in the session of `run` that may be claimed now and have no live lease. */
function freeHeads({ tables, now }: Pick<MemoryStore, "tables" | "now">, run: RunRecord | undefined): RunRecord[] {
  if (run === undefined) return [];
  const open = laneOf(tables, run);
  return open.filter((each) => isFree(each, open, now()));
}

/** True for a run that may be claimed now and has no live lease. */
function isFree(run: RunRecord, open: readonly RunRecord[], now: number): boolean {
  return findObstacle(run, "", now) === undefined && !isLive(run, now) && isHead(run, open, now);
}

function assertOpen(isClosed: boolean): void {
  if (isClosed) throw storeFailed("the in-memory execution host is closed", "Create a new one.");
}
