// Claims of cells. The database's clock decides when a claim ends. The job is locked meanwhile.

import { toMicroCents } from "../../../core/index.js";
import { FLEET_LOOK_MS, MAX_CELL_LOSSES } from "../../limits.js";
import type { SqlClock, SqlRow, SqlTransaction } from "../../sql/engine.js";
import type { FleetCell } from "../cell.js";
import type { CellClaim } from "../store.js";
import { jobMissing, laneOfMember } from "./plan.js";
import { skipWaiting, storeResult } from "./results.js";
import type { StoredJob } from "./stored-job.js";

/** Claims the first waiting cell of `member` whose target has a token. */
export async function claimCell(
  stored: StoredJob,
  sql: SqlTransaction,
  clock: SqlClock,
  member: string,
): Promise<CellClaim> {
  const { job, tokens, leaseMs, holder } = stored;
  const { leaseMs: now } = clock;
  await endLost(stored, sql, clock);
  await skipSurplus(stored, sql);
  const free = tokens?.free(now) ?? { text: "", values: [] };
  const lanes = [laneOfMember(member), laneOfMember()] as const;
  for (const lane of lanes) {
    const [cell] = await sql.all(
      `SELECT place, losses, target_hash FROM fleet_cells
         WHERE job_hash = ? AND lane = ? AND status IS NULL AND holder IS NULL ${free.text} ORDER BY place LIMIT 1`,
      ...[job, lane, ...free.values],
    );
    if (cell === undefined) continue;
    const [place, losses] = [Number(cell["place"]), Number(cell["losses"])];
    await sql.run(HOLD, holder, now + leaseMs, member, clock.wallMs, job, place);
    await tokens?.take(sql, cell["target_hash"] as Uint8Array, now);
    return { kind: "claimed", id: place, attempt: losses + 1 };
  }
  const [row] = await sql.all(OPEN, job, ...lanes);
  const [open, held] = [Number(row?.["open"]), Number(row?.["held"])];
  if (open === 0) return { kind: "empty" };
  const lookMs = lookEvery(stored);
  return { kind: "later", ms: open > held && tokens ? Math.min(lookMs, await tokens.nextMs(sql, now)) : lookMs };
}

/** A machine with many members looks less often for each, so that it looks at most a hundred times a second. */
function lookEvery({ members }: StoredJob): number {
  return Math.max(FLEET_LOOK_MS, members * 10);
}

/** Skips the waiting cells once the job is cancelled or has cost its limit. */
async function skipSurplus({ job, plan, values }: StoredJob, sql: SqlTransaction): Promise<void> {
  const { id, limitUsd } = plan;
  const [row] = await sql.all("SELECT spent, cancelled FROM fleet_jobs WHERE job_hash = ?", job);
  if (row === undefined) throw jobMissing(id);
  if (Number(row["cancelled"]) === 1) await skipWaiting(sql, values, job, "aborted");
  else if (limitUsd !== undefined && Number(row["spent"]) >= toMicroCents(limitUsd))
    await skipWaiting(sql, values, job, "budget");
}

/** Ends the claims of lost workers, and fails the cells that have lost too many. */
async function endLost(stored: StoredJob, sql: SqlTransaction, clock: SqlClock): Promise<void> {
  const { job, values } = stored;
  if ((await sql.run(EXPIRE, job, clock.leaseMs)) === 0) return;
  for (const row of await sql.all(LOST, job, MAX_CELL_LOSSES))
    await storeResult(sql, values, job, waitingCell(row), lostCell(stored, row, clock.wallMs));
}

const waitingCell = (row: SqlRow) => ({ place: Number(row["place"]), holder: null, losses: Number(row["losses"]) });

function lostCell({ plan }: StoredJob, row: SqlRow, endedAt: number): FleetCell {
  return {
    status: "failed",
    member: String(row["begun_by"]),
    target: plan.cells[Number(row["place"])]?.target ?? "",
    attempts: MAX_CELL_LOSSES,
    startedAt: Number(row["begun_at"]),
    endedAt,
    error: {
      code: "lost",
      message: `${MAX_CELL_LOSSES} workers were lost while they ran the cell`,
      hint: "Find out what ends their processes.",
      retryable: false,
    },
  };
}

const HOLD = `UPDATE fleet_cells SET holder = ?, lease_until = ?, begun_by = ?, begun_at = ?
  WHERE job_hash = ? AND place = ?`;
const OPEN = `SELECT count(*) AS open, count(holder) AS held FROM fleet_cells
  WHERE job_hash = ? AND lane IN (?, ?) AND status IS NULL`;
const EXPIRE = `UPDATE fleet_cells SET holder = NULL, lease_until = NULL, losses = losses + 1
  WHERE job_hash = ? AND holder IS NOT NULL AND lease_until <= ?`;
const LOST = `SELECT place, losses, begun_by, begun_at FROM fleet_cells
  WHERE job_hash = ? AND status IS NULL AND holder IS NULL AND losses >= ?`;
