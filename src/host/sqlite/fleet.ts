// A store of fleets in one SQLite file, for all processes on one machine.

import { resolve } from "node:path";
import { systemPorts } from "../../core/index.js";
import { createStoredFleets } from "../fleet/stored/store.js";
import { FLEET_TABLES } from "../fleet/stored/schema.js";
import type { FleetStore } from "../fleet/store.js";
import { DEFAULT_BUSY_TIMEOUT_MS, DEFAULT_FLEET_LEASE_MS, DEFAULT_MAX_HOST_FILE_BYTES } from "../limits.js";
import { loadSqlite } from "./driver.js";
import { createSqliteEngine } from "./engine.js";
import { openSqliteFile, type SqliteFileTerms, type SqliteKind } from "./file.js";

/** The kind of file that holds the jobs of fleets. */
const FLEETS: SqliteKind = {
  name: "fleet store",
  code: "store-failed",
  // "PLHF".
  applicationId: 0x504c4846,
  migrations: [FLEET_TABLES],
  // Only the owner may read results.
  mode: 0o600,
};

/**
 * Opens a store of fleets in the file `path`, or creates the file and its folder. Rejects with `AgentError`: `capability-missing` if no
 * SQLite is available, and `store-failed` for any other file and for a newer version. Such a file is not changed.
 */
export async function sqliteFleetStore(path: string): Promise<FleetStore> {
  // A resolved path is never read as a `file:` address.
  const file = resolve(path);
  const busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS;
  const maxFileBytes = DEFAULT_MAX_HOST_FILE_BYTES;
  const terms: SqliteFileTerms = { kind: FLEETS, path: file, busyTimeoutMs, blockingMs: 0, maxFileBytes };
  const open = await loadSqlite();
  const writer = await openSqliteFile(open, terms);
  const reader = await openSqliteFile(open, terms);
  const engine = createSqliteEngine({ path: file, writer, reader, busyTimeoutMs, ports: systemPorts, clock });
  return createStoredFleets({ engine, leaseMs: DEFAULT_FLEET_LEASE_MS, ports: systemPorts });
}

/** The wall clock, because a reboot resets the steady one, and a lease of before would then last as long as the machine had been up. */
function clock() {
  const ms = systemPorts.now();
  return { leaseMs: ms, wallMs: ms };
}
