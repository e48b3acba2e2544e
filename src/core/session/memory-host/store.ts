// The execution store in memory: five ports over one set of tables.

import type { Ports } from "../../ports.js";
import { thrownText } from "../../text/thrown.js";
import type { ExecutionStore, ExecutionStorePorts } from "../ports/execution-host.js";
import type { RunStatus, RunStore } from "../ports/run-store.js";
import { createCheckpoints } from "./checkpoints.js";
import { openDesk, type Desk } from "./desk.js";
import { createEvents } from "./events.js";
import { createInbox } from "./inbox.js";
import { createRuns } from "./runs.js";
import { createSessions } from "./sessions.js";
import type { Changes, Tables } from "./tables.js";
import { assertStoreId } from "../../canon/stored-value.js";

export interface MemoryStore {
  readonly store: ExecutionStore;
  readonly tables: Tables;
  readonly now: () => number;
  close(): void;
}

/** `committed` is called after each step with the runs whose status may have changed, by the status before. */
export function createMemoryStore(
  ports: Pick<Ports, "now" | "timer" | "warn">,
  committed: (statuses: Changes["statuses"]) => void,
): MemoryStore {
  const watchers = new Map<string, Set<(status: RunStatus) => void>>();
  const desk = openDesk(ports, ({ statuses }) => {
    if (statuses.size === 0) return;
    for (const [runId, before] of statuses) {
      const status = desk.tables.runs.get(runId)?.status;
      if (status === undefined || status === before) continue;
      for (const changed of [...(watchers.get(runId) ?? [])]) notify(ports, changed, status);
    }
    committed(statuses);
  });
  const watch: RunStore["watch"] = (runId, changed) => {
    assertStoreId("runId", runId);
    // A wrapper, since the same function may watch twice.
    const mine = (status: RunStatus) => changed(status);
    const all = watchers.get(runId) ?? new Set();
    watchers.set(runId, all.add(mine));
    return () => {
      all.delete(mine);
      if (all.size === 0 && watchers.get(runId) === all) watchers.delete(runId);
    };
  };
  const outside = createPorts(desk);
  return {
    store: {
      ...outside,
      runs: { ...outside.runs, watch },
      transaction: (work) => desk.transaction((inside) => work(createPorts(inside))),
    },
    tables: desk.tables,
    now: desk.now,
    close() {
      watchers.clear();
      desk.close();
    },
  };
}

function createPorts(desk: Desk): ExecutionStorePorts {
  return {
    sessions: createSessions(desk),
    runs: createRuns(desk),
    checkpoints: createCheckpoints(desk),
    events: createEvents(desk),
    notifications: createInbox(desk),
  };
}

/** An error of a watcher becomes a warning and does not reach the writer. */
function notify(ports: Pick<Ports, "warn">, changed: (status: RunStatus) => void, status: RunStatus): void {
  try {
    changed(status);
  } catch (error) {
    ports.warn(`playhead: a watcher of a run threw: ${thrownText(error)}`);
  }
}
