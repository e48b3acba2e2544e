// Connects through the optional peer `pg`, which is loaded only for a connection string.

import { AgentError, defined, invalidOptions, showValue } from "../../../core/index.js";
import { DEFAULT_POOL_CONNECTIONS, MAX_CONNECT_MS } from "../../limits.js";
import { ignoreErrors } from "./connections.js";
import type { PgClient, PgConnections, PgPool } from "./types.js";

/**
 * A connection string (`postgres://…`), or the connections of your own pool. The string must not lead to a pooler that shares connections
 * between transactions, because the host keeps settings on each connection.
 */
export type PostgresDatabase = string | PgConnections;

export interface OwnedConnections extends PgConnections {
  /** Closes the pool. Absent if it belongs to the caller, whose pooler may not support prepared statements. */
  readonly end?: () => Promise<void>;
}

interface Driver {
  readonly Pool: new (settings: object) => PgPool & { end(): Promise<void> };
  readonly Client: new (settings: object) => Omit<PgClient, "release"> & {
    connect(): Promise<unknown>;
    end(): Promise<void>;
  };
}

const PEER = "pg";

/** Rejects with `capability-missing` if a connection string is given and `pg` is not installed. Connects to nothing yet. */
export async function toConnections(database: PostgresDatabase): Promise<OwnedConnections> {
  assertDatabase(database);
  if (typeof database !== "string") return database;
  const { Pool, Client } = await loadDriver();
  const settings = {
    ...{ connectionString: database, keepAlive: true, application_name: "playhead" },
    connectionTimeoutMillis: MAX_CONNECT_MS,
  };
  try {
    // A client reads the string at once, but a pool does not.
    new Client(settings);
    // A pool that nobody closes must not keep its process alive.
    const pool = new Pool({ ...settings, max: DEFAULT_POOL_CONNECTIONS, allowExitOnIdle: true });
    return { pool, end: () => pool.end(), dedicated: async () => openClient(new Client(settings)) };
  } catch {
    // The error holds the string with its password.
    throw invalidOptions("the connection string cannot be read", "Pass `postgres://user:password@host:port/database`.");
  }
}

async function openClient(client: InstanceType<Driver["Client"]>): Promise<PgClient> {
  ignoreErrors(client);
  await client.connect();
  return Object.assign(client, { release: () => void client.end().catch(() => undefined) });
}

async function loadDriver(): Promise<Driver> {
  try {
    const loaded = (await import(PEER)) as Driver & { default?: Driver };
    return loaded.default ?? loaded;
  } catch (error) {
    throw new AgentError("capability-missing", "the package pg is not installed", {
      hint: "Run npm install pg.",
      ...defined({ cause: error }),
    });
  }
}

/** Throws `AgentError` `invalid-options`. */
export function assertDatabase(database: unknown): asserts database is PostgresDatabase {
  if (typeof database === "string") {
    if (/^postgres(ql)?:\/\//.test(database)) return;
    throw invalidOptions(
      "the connection string does not begin with postgres://",
      "Pass `postgres://user@host/database`.",
    );
  }
  const { pool, dedicated } = (database ?? {}) as Partial<PgConnections>;
  const isPool = typeof pool?.connect === "function" && typeof pool.query === "function";
  if (isPool && ["function", "undefined"].includes(typeof dedicated)) return;
  throw invalidOptions(
    `the database is ${showValue(database)}`,
    "Pass a connection string, or `{ pool, dedicated }` with a pool of `pg` and a function that opens a connection.",
  );
}
