// The sweep makes missed runs due. It repairs the effects of a bug, a changed clock or a manual edit of the database.

import { MAX_DUE_MS } from "../limits.js";
import type { SqlAccess } from "../sql/engine.js";
import { wakeHeads } from "../sql/lanes.js";
import { readColumns } from "../sql/rows.js";
import { CLAIMED, OPEN } from "../sql/schema.js";

const LIVE = `${CLAIMED} AND lease_until > ?`;

/** Makes the heads of each lane due in which no run is due or claimed. */
export async function sweep(access: SqlAccess): Promise<void> {
  const isStuck =
    "due_at IS NULL OR (due_at > ? AND (delayed = 0 OR ready_at <= ?) AND (lease_until IS NULL OR lease_until <= ?))";
  const rows = await access.read(async (sql) => {
    const { wallMs, leaseMs } = await sql.now();
    return sql.all(
      `SELECT DISTINCT lane FROM runs AS stuck WHERE ${OPEN} AND status <> 'needs-recovery' AND (${isStuck})
       AND NOT EXISTS (SELECT 1 FROM runs WHERE lane = stuck.lane AND ${LIVE})
       AND NOT EXISTS (SELECT 1 FROM runs WHERE lane = stuck.lane AND ${OPEN} AND due_at <= ?)`,
      ...[wallMs + MAX_DUE_MS, wallMs, leaseMs, leaseMs, wallMs + MAX_DUE_MS],
    );
  });
  for (const row of rows) {
    const lane = readColumns("runs", "swept", row).bytes("lane");
    await access.write(async (sql) => {
      await sql.lockList(lane);
      const { wallMs, leaseMs } = await sql.now();
      await sql.run(
        `UPDATE runs SET due_at = NULL WHERE lane = ? AND ${OPEN} AND due_at > ? AND (delayed = 0 OR ready_at <= ?)
           AND (lease_until IS NULL OR lease_until <= ?)`,
        ...[lane, wallMs + MAX_DUE_MS, wallMs, leaseMs],
      );
      await wakeHeads(sql, lane);
    });
  }
}
