// A store of fleets in one SQLite file, for all processes on one machine.

import { assertKnownOptions, toHex, withSystemPorts, type Ports } from "../../core/index.js";
import { FLEET_TABLES } from "../sql/schema.js";
import { createStoredFleets } from "../fleet/stored/store.js";
import type { FleetStore } from "../fleet/store.js";
import { assertCount } from "../integer-option.js";
import {
  DEFAULT_BUSY_TIMEOUT_MS,
  DEFAULT_FLEET_LEASE_MS,
  DEFAULT_MAX_HOST_FILE_BYTES,
  MAX_HOST_LEASE_MS,
  MIN_HOST_LEASE_MS,
} from "../limits.js";
import { loadSqlite } from "./driver.js";
import type { SqliteKind } from "./file.js";
import { openLives } from "./lives.js";
import { assertPath, openEngine } from "./open.js";

const FLEETS: SqliteKind = {
  name: "store of fleets",
  code: "store-failed",
  // "PLFL".
  applicationId: 0x504c464c,
  migrations: [FLEET_TABLES],
  // Only the owner may read results.
  mode: 0o600,
};

/** The options of {@link sqliteFleetStore}. */
export interface SqliteFleetStoreOptions {
  /** How long in ms a frozen process keeps its cells, 1,000 to 3,600,000. Default 30,000. */
  readonly leaseMs?: number;
  readonly ports?: Partial<Ports>;
}

/**
 * Opens the store of fleets in the file `path`, or creates the file and its folder. Several processes on one machine may open it. Rejects
 * with `AgentError`: `invalid-options`, `capability-missing` if no SQLite is available, and `store-failed` for any other file.
 */
export async function sqliteFleetStore(path: string, options: SqliteFleetStoreOptions = {}): Promise<FleetStore> {
  assertKnownOptions("sqliteFleetStore", options, ["leaseMs", "ports"]);
  const { leaseMs = DEFAULT_FLEET_LEASE_MS } = options;
  assertPath("sqliteFleetStore", path, "For a fleet in one process, leave out `store`.");
  assertCount("leaseMs", leaseMs, MIN_HOST_LEASE_MS, MAX_HOST_LEASE_MS);
  const ports = withSystemPorts(options.ports);
  const limits = { busyTimeoutMs: DEFAULT_BUSY_TIMEOUT_MS, maxFileBytes: DEFAULT_MAX_HOST_FILE_BYTES };
  const open = await loadSqlite();
  const { engine, file } = await openEngine(open, {
    kind: FLEETS,
    path,
    ports,
    isSteady: options.ports?.now === undefined,
    ...limits,
  });
  const storeId = toHex(ports.randomBytes(16));
  try {
    await engine.transaction(async (sql) => {
      // The steady clock begins again when the machine starts. Tokens that look later were taken before that.
      await sql.run("DELETE FROM fleet_tokens WHERE taken_at > ?", (await sql.now()).leaseMs);
    });
    const lives = openLives(open, `${file}-lives`, storeId);
    return createStoredFleets({ engine, leaseMs, ports, life: { lives, storeId } });
  } catch (error) {
    await engine.close();
    throw error;
  }
}
