// The order of runs in a session, called its lane, and when a run is due. Only heads are due. All other runs would be delivered and
// refused repeatedly.

import type { Sql, SqlClock, SqlValue, Write } from "./engine.js";
import type { RunRow } from "./rows.js";
import { BEGUN, OPEN } from "./schema.js";

/** The parameter is the wall clock. */
const READY = "(delayed = 0 OR ready_at <= ?)";
/** A notification does not block a user turn, which delivers it at its start. */
const USER_TURN = "kind <> 'notification'";

/** True for a run that was claimed and not returned to the queue, or that has a checkpoint. It is the head until it is terminal. */
export const hasBegun = ({ status, checkpointVersion }: RunRow): boolean =>
  status !== "queued" || checkpointVersion > 0;

/** SQL that is true if the other runs of its lane allow a claim of `run`, which is open and ready, with its values. */
export function headCondition(run: RunRow, { wallMs }: SqlClock): [string, ...SqlValue[]] {
  const { lane, seq, readyAtMs } = run;
  const isBefore = "(ready_at, seq) < (?, ?)";
  if (hasBegun(run)) return [`NOT ${exists(`${BEGUN} AND ${isBefore}`)}`, lane, readyAtMs, seq];
  return [
    `NOT ${exists(BEGUN)} AND NOT ${exists(`${USER_TURN} AND ${READY} AND ${isBefore}`)}`,
    ...[lane, lane, wallMs, readyAtMs, seq],
  ];
}

/** The parameter is the lane. */
const exists = (condition: string): string =>
  `EXISTS (SELECT 1 FROM runs AS other WHERE lane = ? AND ${OPEN} AND ${condition})`;
const first = (condition: string): string =>
  `(SELECT seq FROM runs AS other WHERE lane = ? AND ${OPEN} AND ${condition} ORDER BY ready_at, seq LIMIT 1)`;

export async function isHead(sql: Sql, run: RunRow, clock: SqlClock): Promise<boolean> {
  const [condition, ...values] = headCondition(run, clock);
  return (await sql.all(`SELECT 1 AS head WHERE ${condition}`, ...values)).length > 0;
}

/** The heads of a lane without a due time. */
const HEADS = `lane = ? AND ${OPEN} AND status <> 'needs-recovery' AND due_at IS NULL
  AND (seq = coalesce(${first(BEGUN)}, ${first(`${USER_TURN} AND ${READY}`)})
    OR (kind = 'notification' AND ${READY} AND NOT ${exists(BEGUN)}
      AND NOT ${exists(`${USER_TURN} AND ${READY} AND (ready_at, seq) < (runs.ready_at, runs.seq)`)}))`;

/** Sets a due time for the heads of a lane that have none. */
export async function wakeHeads(sql: Write, lane: Uint8Array): Promise<void> {
  const { leaseMs, wallMs } = await sql.now();
  const woken = await sql.run(
    `UPDATE runs SET due_at = CASE WHEN lease_until > ? THEN ? + lease_until - ? ELSE ? END WHERE ${HEADS}`,
    ...[leaseMs, wallMs, leaseMs, wallMs, lane],
    ...[lane, lane, wallMs, wallMs, lane, lane, wallMs],
  );
  if (woken > 0) sql.note.isDue = true;
}
