// The stored steps of a cell. A worker that has lost its cell stores none.

import { AgentError } from "../../../core/index.js";
import type { Sql, SqlRow } from "../../sql/engine.js";
import { hashNames } from "../../sql/names.js";
import type { FleetStep } from "../queue.js";
import type { CellLease } from "../store.js";
import { withJob, type StoredJob } from "./stored-job.js";

export function createSteps(stored: StoredJob, lease: CellLease): FleetStep {
  const { engine, values, plan, job, holder } = stored;
  const { id, attempt } = lease;
  return async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
    const hash = hashNames("step", name);
    const find = async (sql: Sql): Promise<SqlRow | undefined> => (await sql.all(FIND, job, id, hash))[0];
    const read = async ({ value }: SqlRow): Promise<T> =>
      (typeof value === "string" ? await values.toValue(`step ${name}`, value) : undefined) as T;
    const known = await engine.read(find);
    if (known !== undefined) return read(known);
    const result: unknown = await work();
    const value = result === undefined ? null : await values.toText(`step ${name}`, result);
    return withJob(stored, async (sql) => {
      const [held] = await sql.all(HELD, job, id, holder, attempt - 1);
      if (held === undefined) throw lostCell(id, plan.id);
      const first = await find(sql);
      if (first === undefined) await sql.run(STORE, job, id, hash, value);
      return read(first ?? { value });
    });
  };
}

const lostCell = (id: number, job: string): AgentError =>
  new AgentError("lease-lost", `another machine has cell ${id} of job ${job}, or this one was silent for too long`, {
    hint: "The result of this step was not stored. Leave the cell to the other machine.",
  });

const FIND = "SELECT value FROM fleet_steps WHERE job_hash = ? AND place = ? AND name_hash = ?";
const HELD = "SELECT place FROM fleet_cells WHERE job_hash = ? AND place = ? AND holder = ? AND losses = ?";
const STORE = "INSERT INTO fleet_steps (job_hash, place, name_hash, value) VALUES (?, ?, ?, ?)";
