// Results of cells as rows. A skipped cell stores only its reason, so one statement can skip many.

import { isObject, toMicroCents, tryParseJson, type JsonObject, type JsonValue } from "../../../core/index.js";
import type { Values } from "../../sql/codec.js";
import type { Sql, SqlRow, SqlTransaction } from "../../sql/engine.js";
import { damagedRow } from "../../sql/failure.js";
import { FLEET_PAGE_ROWS } from "../../limits.js";
import type { FleetCell, SkipReason } from "../cell.js";

interface Names {
  readonly target: string;
  readonly member?: string;
}

interface HeldCell {
  readonly place: number;
  readonly holder: string | null;
  readonly losses: number;
}

/** Stores the result of a cell that `holder` holds with `losses`. A null holder means that nobody holds it. False if another one does. */
export async function storeResult(
  sql: SqlTransaction,
  values: Values,
  job: Uint8Array,
  { place, holder, losses }: HeldCell,
  cell: FleetCell,
): Promise<boolean> {
  const text = await values.toText(`the result of cell ${place}`, cell);
  const stored = await sql.run(STORE, cell.status, text, job, place, holder ?? "", losses);
  const costUsd = cell.status === "done" ? (cell.result.usage.costUsd ?? 0) : 0;
  if (stored === 1 && costUsd > 0)
    await sql.run("UPDATE fleet_jobs SET spent = spent + ? WHERE job_hash = ?", toMicroCents(costUsd), job);
  return stored === 1;
}

/** Skips every cell that nobody runs. */
export async function skipWaiting(
  sql: SqlTransaction,
  values: Values,
  job: Uint8Array,
  reason: SkipReason,
): Promise<void> {
  await sql.run(SKIP, await values.toText("a skipped cell", { status: "skipped", reason }), job);
}

export async function readCell(values: Values, row: SqlRow): Promise<FleetCell> {
  const place = String(row["place"]);
  const names = tryParseJson(String(row["names"]));
  if (!isObject(names) || typeof names["target"] !== "string")
    throw damagedRow("fleet_cells", place, "names", row["names"]);
  const cell = await values.toValue(`the result of cell ${place}`, String(row["result"]));
  if (!isCell(cell) || cell["status"] !== row["status"])
    throw damagedRow("fleet_cells", place, "result", "not a result");
  if (cell["status"] !== "skipped") return cell as unknown as FleetCell;
  return { status: "skipped", ...(names as unknown as Names), attempts: 0, reason: cell["reason"] as SkipReason };
}

/** True if the value has what readers of a cell rely on. */
function isCell(value: JsonValue): value is JsonObject {
  if (!isObject(value)) return false;
  const { status, target, result, error } = value;
  if (status === "skipped") return true;
  if (typeof target !== "string") return false;
  if (status === "failed") return isObject(error) && typeof error["message"] === "string";
  return isObject(result) && typeof result["finalAnswer"] === "string" && isObject(result["usage"]);
}

/** The results of a job in the order of its cells, a page at a time. */
export async function* readResults(
  read: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>,
  values: Values,
  job: Uint8Array,
): AsyncGenerator<{ readonly id: number; readonly cell: FleetCell }> {
  for (let next = 0; ;) {
    const rows = await read((sql) => sql.all(PAGE, job, next));
    for (const row of rows) yield { id: Number(row["place"]), cell: await readCell(values, row) };
    if (rows.length < FLEET_PAGE_ROWS) return;
    next = Number(rows.at(-1)?.["place"]) + 1;
  }
}

const STORE = `UPDATE fleet_cells SET status = ?, result = ?, holder = NULL, lease_until = NULL
  WHERE job_hash = ? AND place = ? AND status IS NULL AND coalesce(holder, '') = ? AND losses = ?`;
const SKIP = `UPDATE fleet_cells SET status = 'skipped', result = ?
  WHERE job_hash = ? AND status IS NULL AND holder IS NULL`;
const PAGE = `SELECT place, names, status, result FROM fleet_cells
  WHERE job_hash = ? AND status IS NOT NULL AND place >= ? ORDER BY place LIMIT ${FLEET_PAGE_ROWS}`;
