// The order of runs in a session, called its lane, and when a run is due. Only heads are due. All other runs would be delivered and
// refused repeatedly.

import type { Sql, SqlClock, SqlValue, Write } from "./engine.js";
import { readColumns, type RunRow } from "./rows.js";
import { BEGUN, OPEN } from "./schema.js";

/** The parameter is the wall clock. */
const READY = "(delayed = 0 OR ready_at <= ?)";
/** A notification does not block a user turn, which delivers it at its start. */
const USER_TURN = "kind <> 'notification'";

/** True for a run that was claimed and not returned to the queue, or that has a checkpoint. It is the head until it is terminal. */
export const hasBegun = ({ status, checkpointVersion }: RunRow): boolean =>
  status !== "queued" || checkpointVersion > 0;

/** True if the other runs of its lane allow a claim of `run`, which is open and ready. */
export async function isHead(sql: Sql, run: RunRow, { wallMs }: SqlClock): Promise<boolean> {
  const { lane, seq, readyAtMs } = run;
  const finds = async (condition: string, ...values: SqlValue[]): Promise<boolean> =>
    (await sql.all(`SELECT 1 FROM runs WHERE lane = ? AND ${OPEN} AND ${condition} LIMIT 1`, lane, ...values)).length >
    0;

  const isBefore = "(ready_at, seq) < (?, ?)";
  if (hasBegun(run)) return !(await finds(`${BEGUN} AND ${isBefore}`, readyAtMs, seq));
  if (await finds(BEGUN)) return false;
  return !(await finds(`${USER_TURN} AND ${READY} AND ${isBefore}`, wallMs, readyAtMs, seq));
}

/** Sets a due time for the heads of a lane that have none. */
export async function wakeHeads(sql: Write, lane: Uint8Array): Promise<void> {
  const clock = await sql.now();
  const [condition, ...values] = await findHeads(sql, lane, clock);
  const dueAt = "CASE WHEN lease_until > ? THEN ? + lease_until - ? ELSE ? END";
  const woken = await sql.run(
    `UPDATE runs SET due_at = ${dueAt}
     WHERE lane = ? AND ${OPEN} AND status <> 'needs-recovery' AND due_at IS NULL AND ${condition}`,
    ...[clock.leaseMs, clock.wallMs, clock.leaseMs, clock.wallMs, lane, ...values],
  );
  if (woken > 0) sql.note.isDue = true;
}

/** The SQL condition for the heads of a lane, with its values. */
async function findHeads(sql: Sql, lane: Uint8Array, { wallMs }: SqlClock): Promise<[string, ...SqlValue[]]> {
  const first = async (condition: string, ...values: SqlValue[]) => {
    const [row] = await sql.all(
      `SELECT seq, ready_at FROM runs WHERE lane = ? AND ${OPEN} AND ${condition} ORDER BY ready_at, seq LIMIT 1`,
      ...[lane, ...values],
    );
    return row === undefined ? undefined : readColumns("runs", String(row.seq), row);
  };
  const begun = await first(BEGUN);
  if (begun !== undefined) return ["seq = ?", begun.integer("seq")];
  const user = await first(`${USER_TURN} AND ${READY}`, wallMs);
  const notification = `kind = 'notification' AND ${READY}`;
  if (user === undefined) return [notification, wallMs];
  const [seq, readyAt] = [user.integer("seq"), user.integer("ready_at")];
  return [`(seq = ? OR (${notification} AND (ready_at, seq) < (?, ?)))`, seq, wallMs, readyAt, seq];
}
