// A durable host in a PostgreSQL database, for all processes on any number of machines.

import { assertKnownOptions, invalidOptions, showValue } from "../../core/index.js";
import { createHost, newHostId, type DurableHost } from "../durable/host.js";
import { checkHostOptions, DURABLE_OPTIONS, type DurableHostOptions } from "../durable/options.js";
import { assertSchema, DEFAULT_SCHEMA, endPool, ignoreErrors } from "./connection/connections.js";
import { toConnections, type PostgresDatabase } from "./connection/driver.js";
import { createPostgresEngine } from "./engine.js";
import { openLine, type Line } from "./connection/line.js";
import { createPostgresLives, toLocklessId } from "./lives.js";
import { migrate } from "./migrate.js";

/** The options of {@link openPostgresExecutionHost}. */
export interface PostgresExecutionHostOptions extends DurableHostOptions {
  /** The schema of the tables, which holds nothing else. Lower-case letters, digits and `_`. Default `playhead`. */
  readonly schema?: string;
  /** If false, missing and older tables are refused instead of created. Default true. */
  readonly migrate?: boolean;
}

/**
 * Opens the durable host in a PostgreSQL database, and creates its tables. Any number of processes on any number of machines may open
 * it. Rejects with `AgentError`: `invalid-options`, `capability-missing` if `pg` is not installed, and `store-failed` if the database cannot
 * be reached, or has other tables, a newer version or another codec. Such a schema is not changed.
 */
export async function openPostgresExecutionHost(
  database: PostgresDatabase,
  options: PostgresExecutionHostOptions = {},
): Promise<DurableHost> {
  assertKnownOptions("openPostgresExecutionHost", options, [...DURABLE_OPTIONS, "schema", "migrate"]);
  const { schema = DEFAULT_SCHEMA, migrate: mayMigrate = true } = options;
  assertSchema(options.schema);
  if (typeof mayMigrate !== "boolean")
    throw invalidOptions(`migrate is ${showValue(mayMigrate)}`, "Pass true or false.");
  const checked = checkHostOptions(options);
  const { ports } = checked;
  const { pool, dedicated, end } = await toConnections(database);
  const ownId = newHostId(checked);
  const hostId = dedicated === undefined ? toLocklessId(ownId) : ownId;
  ignoreErrors(pool);
  let line: Line | undefined;
  try {
    await migrate({ pool, schema, ports, mayMigrate });
    line = dedicated && (await openLine({ dedicated, hostId, schema, ports }));
    const engine = createPostgresEngine({ pool, schema, ports, line, end });
    await engine.open();
    const lives = createPostgresLives({ schema, hostId, line, query: engine.query });
    return await createHost({ engine, lives, hostId, options: checked });
  } catch (error) {
    await line?.close();
    await endPool(end, ports);
    throw error;
  }
}
