// Who holds the claims of a job. The name of a holder contains the id of its store, if the store has a life lock. So other stores can see
// that its process has died, long before its leases expire.

import { withJob, type StoredJob } from "./stored-job.js";

/** `part` is unique. A store without a life lock is never taken for dead. */
export const nameHolder = (part: string, storeId: string | undefined): string =>
  storeId === undefined ? part : `${storeId}.${part}`;

/** Undefined if its store has no life lock. */
const storeOf = (holder: string): string | undefined => /^([0-9a-f]{32})\./.exec(holder)?.[1];

/** Lets the claims of dead holders expire. Until another machine claims its cell, a live holder can still renew its claim. */
export async function endDeadHolders(stored: StoredJob): Promise<void> {
  const { engine, lives, job } = stored;
  if (lives === undefined) return;
  for (const { holder } of await engine.read((sql) => sql.all(HOLDERS, job))) {
    const storeId = storeOf(String(holder));
    if (storeId === undefined || (await lives.isAlive(storeId))) continue;
    await withJob(stored, (sql) => sql.run(END, job, String(holder)));
  }
}

const HOLDERS = `SELECT DISTINCT holder FROM fleet_cells
  WHERE job_hash = ? AND holder IS NOT NULL AND lease_until > 0`;
const END = "UPDATE fleet_cells SET lease_until = 0 WHERE job_hash = ? AND holder = ?";
