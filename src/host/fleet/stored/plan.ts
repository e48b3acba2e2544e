// The plan of a job in the tables. The first machine stores it, and the others must have the same.

import { defined, invalidOptions, storeFailed, type AgentError } from "../../../core/index.js";
import { INSERT_ROWS } from "../../limits.js";
import type { SqlTransaction, SqlValue } from "../../sql/engine.js";
import { hashNames } from "../../sql/names.js";
import type { QueuedCell } from "../queue.js";
import type { FleetPlan } from "../store.js";

export const jobHashOf = (id: string): Uint8Array => hashNames("fleet", id);
export const targetHashOf = (target: string): Uint8Array => hashNames("target", target);
/** The lane of a member, or of the cells that any member may run. */
export const laneOfMember = (member?: string): Uint8Array =>
  hashNames("member", ...(member === undefined ? [] : [member]));

/** Stores the plan, or compares it with the stored one. */
export async function joinJob(sql: SqlTransaction, { id, hash, cells }: FleetPlan): Promise<void> {
  const job = jobHashOf(id);
  await sql.lockList(job);
  const [row] = await sql.all("SELECT plan_hash FROM fleet_jobs WHERE job_hash = ?", job);
  if (row !== undefined) {
    if (row["plan_hash"] === hash) return;
    throw invalidOptions(
      `job ${id} has a different plan`,
      "Give all machines the same members, targets and options, or this run another id.",
    );
  }
  const { wallMs } = await sql.now();
  await sql.run("INSERT INTO fleet_jobs (job_hash, plan_hash, created_at) VALUES (?, ?, ?)", job, hash, wallMs);
  for (let from = 0; from < cells.length; from += INSERT_ROWS) {
    const some = cells.slice(from, from + INSERT_ROWS);
    await sql.run(`${INSERT} ${some.map(() => ROW).join(", ")}`, ...some.flatMap((cell) => toRow(job, cell)));
  }
}

const INSERT = "INSERT INTO fleet_cells (job_hash, place, lane, target_hash, names) VALUES";
const ROW = "(?, ?, ?, ?, ?)";

function toRow(job: Uint8Array, { id, target, member }: QueuedCell): SqlValue[] {
  return [job, id, laneOfMember(member), targetHashOf(target), JSON.stringify({ ...defined({ member }), target })];
}

export const jobMissing = (id: string): AgentError =>
  storeFailed(`there is no job ${id}`, "Check the id. The job may have been removed.");
