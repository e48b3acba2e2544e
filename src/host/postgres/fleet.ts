// A store of fleets in a PostgreSQL database, for any number of machines.

import { assertKnownOptions, toHex, withSystemPorts, type Ports } from "../../core/index.js";
import type { FleetStore } from "../fleet/store.js";
import { assertCount } from "../integer-option.js";
import { DEFAULT_FLEET_LEASE_MS, MAX_HOST_LEASE_MS, MIN_HOST_LEASE_MS } from "../limits.js";
import { assertSchema, DEFAULT_SCHEMA, endPool, ignoreErrors } from "./connection/connections.js";
import { toConnections, type PostgresDatabase } from "./connection/driver.js";
import { openLine, type Line } from "./connection/line.js";
import { createPostgresEngine } from "./engine.js";
import { createPostgresLives } from "./lives.js";
import { migrate } from "./migrate.js";

/** The options of {@link postgresFleetStore}. */
export interface PostgresFleetStoreOptions {
  /** The schema of the tables, which an execution host may share. Default `playhead`. */
  readonly schema?: string;
  /** How long in ms a frozen or unreachable machine keeps its cells, 1,000 to 3,600,000. Default 30,000. */
  readonly leaseMs?: number;
  readonly ports?: Partial<Ports>;
}

/**
 * Opens a store of fleets in a PostgreSQL database, and creates its tables. Rejects with `AgentError`: `invalid-options`,
 * `capability-missing` if `pg` is not installed, and `store-failed` if the database cannot be reached, or has other tables.
 */
export async function postgresFleetStore(
  database: PostgresDatabase,
  options: PostgresFleetStoreOptions = {},
): Promise<FleetStore> {
  assertKnownOptions("postgresFleetStore", options, ["schema", "leaseMs", "ports"]);
  const { schema = DEFAULT_SCHEMA, leaseMs = DEFAULT_FLEET_LEASE_MS } = options;
  assertSchema(options.schema);
  assertCount("leaseMs", leaseMs, MIN_HOST_LEASE_MS, MAX_HOST_LEASE_MS);
  const ports = withSystemPorts(options.ports);
  const { pool, dedicated, end } = await toConnections(database);
  ignoreErrors(pool);
  const storeId = toHex(ports.randomBytes(16));
  // Hosts in the schema have life locks of their own.
  const locks = `${schema} fleets`;
  let line: Line | undefined;
  try {
    await migrate({ pool, schema, ports, mayMigrate: true });
    line = dedicated && (await openLine({ dedicated, hostId: storeId, schema: locks, ports }));
  } catch (error) {
    await endPool(end, ports);
    throw error;
  }
  // A host without a fleet does not load it.
  const { createStoredFleets } = await import("../fleet/stored/store.js");
  const engine = createPostgresEngine({ pool, schema, ports, line: undefined, end });
  const lives = createPostgresLives({ schema: locks, hostId: storeId, line, query: engine.query });
  return createStoredFleets({ engine, leaseMs, ports, life: line && { lives, storeId } });
}
