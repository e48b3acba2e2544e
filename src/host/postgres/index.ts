// The door of the room. `src/entry/postgres.ts` alone opens it.

export type { PostgresDatabase } from "./connection/driver.js";
export { postgresFleetStore, type PostgresFleetStoreOptions } from "./fleet.js";
export { exactlyOnce, type ExactlyOnceOptions, type ExactlyOnceTool } from "./once.js";
export { openPostgresExecutionHost, type PostgresExecutionHostOptions } from "./open.js";
export type { PgClient, PgConnections, PgPool, PgQuery, PgResult } from "./connection/types.js";
