// Detects dead hosts. A lock that is released with its process shows that a host has ended, long before its leases expire.

import { CLAIMABLE } from "../sql/claims.js";
import type { SqlAccess, Write } from "../sql/engine.js";
import { OPEN } from "../sql/schema.js";

/** The life locks of the hosts of one store. */
export interface Lives {
  isAlive(hostId: string): boolean | Promise<boolean>;
  /** The number of live hosts. */
  count(): number | Promise<number>;
  /** Releases this host's lock. */
  release(): void | Promise<void>;
}

export interface LifeTerms {
  readonly access: SqlAccess;
  readonly lives: Lives;
  readonly hostId: string;
}

/** Ends the leases, holds and deliveries of all hosts that have died. Their runs become due. */
export async function reapDeadHosts({ access, lives, hostId }: LifeTerms): Promise<void> {
  const rows = await access.read((sql) => sql.all("SELECT DISTINCT holder FROM runs WHERE holder IS NOT NULL"));
  for (const { holder } of rows) {
    if (typeof holder !== "string" || holder === hostId || (await lives.isAlive(holder))) continue;
    await access.write((sql) => endHolds(sql, holder));
  }
}

/** Resolves with the number of runs that the host held. A live host can still write with its lease until another claims the run. */
export async function endHolds(sql: Write, hostId: string): Promise<number> {
  const { wallMs } = await sql.now();
  const isClaimable = `status IN (${CLAIMABLE.map((status) => `'${status}'`).join(", ")})`;
  const ended = await sql.run(
    `UPDATE runs SET holder = NULL, lease_until = CASE WHEN lease_id IS NULL THEN NULL ELSE 0 END,
       due_at = CASE WHEN ${isClaimable} THEN CAST(? AS BIGINT) ELSE NULL END WHERE holder = ? AND ${OPEN}`,
    ...[wallMs, hostId],
  );
  if (ended > 0) sql.note.isDue = true;
  return ended;
}
