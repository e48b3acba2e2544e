// `playhead/postgres`: the durable host past one machine. Every public name of this door is listed here by hand; see docs/host.md.

export {
  exactlyOnce,
  openPostgresExecutionHost,
  postgresFleetStore,
  type ExactlyOnceTool,
  type PgClient,
  type PgPool,
  type PgQuery,
  type PostgresDatabase,
} from "../host/postgres/index.js";
export type { DurableHost, FleetStore } from "../host/index.js";
