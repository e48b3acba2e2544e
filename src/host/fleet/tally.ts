// Collects the cells of a run, counts them, and reports progress.

import { copyJson, defined, type Ports } from "../../core/index.js";
import { toFleetError, type FleetCell, type FleetCounts } from "./cell.js";
import type { FleetProgress, PlannedCell } from "./options.js";

export interface Tally {
  /** Ignores a cell that is settled. */
  settle(id: number, cell: FleetCell): void;
  finish(): { cells: FleetCell[]; counts: FleetCounts };
}

export function createTally(
  planned: readonly PlannedCell[],
  onProgress: ((progress: FleetProgress) => unknown) | undefined,
  ports: Pick<Ports, "warn">,
): Tally {
  const cells: (FleetCell | undefined)[] = planned.map(() => undefined);
  const counts: FleetCounts = { total: planned.length, done: 0, failed: 0, skipped: 0 };
  let hasWarned = false;
  const warn = (error: unknown) => {
    if (!hasWarned) ports.warn(`playhead: onProgress of a fleet failed: ${toFleetError(error).message}`);
    hasWarned = true;
  };

  function settle(id: number, cell: FleetCell): void {
    if (cells[id] !== undefined) return;
    cells[id] = cell;
    counts[cell.status] += 1;
    try {
      // An async `onProgress` fails later.
      void Promise.resolve(onProgress?.({ cell: copyJson(cell), counts: { ...counts } })).catch(warn);
    } catch (error) {
      warn(error);
    }
  }

  return {
    settle,
    finish() {
      for (const { id, target, member } of planned) {
        if (cells[id] !== undefined) continue;
        settle(id, { status: "skipped", ...defined({ member }), target, attempts: 0, reason: "aborted" });
      }
      return { cells: cells as FleetCell[], counts };
    },
  };
}
