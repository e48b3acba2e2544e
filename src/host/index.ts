// The door of the host: everything that owns a disk, a process, a socket or a schedule.

export { nodeFiles, pathBeside, threadFiles } from "./files.js";
export { isWithin } from "./files/within.js";
export {
  JsonLinesError,
  openJsonLines,
  type JsonLinesErrorCode,
  type JsonLinesFile,
  type JsonLinesOptions,
  type MendedLine,
} from "./json-lines.js";
export { createFleet, type Fleet } from "./fleet.js";
export type { BreakerOptions } from "./fleet/breaker.js";
export type { FleetCell, FleetCounts, FleetError, FleetResult, SkipReason } from "./fleet/cell.js";
export type {
  FleetCellContext,
  FleetMember,
  FleetOptions,
  FleetProgress,
  FleetRetry,
  FleetRunOptions,
  FleetTarget,
} from "./fleet/options.js";
export type { RateOptions } from "./fleet/rate.js";
export type { FleetRun } from "./fleet/run.js";
export { openSharedQueue } from "./fleet/shared-queue.js";
export type { FleetPlan, FleetStore } from "./fleet/store.js";
export { MAX_FLEET_CELLS, MAX_FLEET_MEMBERS, MAX_THREADS } from "./limits.js";
export { openFileStorage, type FileStorage, type FileStorageOptions } from "./env/file-storage.js";
export { createNodeEnv, type NodeEnv, type NodeEnvOptions } from "./env/node-env.js";
export { sqliteFleetStore } from "./sqlite/fleet.js";
export { openSqliteExecutionHost, type SqliteExecutionHostOptions } from "./sqlite/open.js";
export type { DurableHost } from "./durable/host.js";
export { openSqliteMemory, type SqliteMemory, type SqliteMemoryOptions } from "./memory/sqlite.js";
export { FileSessionStore } from "./session/file-store.js";
export { processMeter, sessionTime } from "./meter.js";
export { createPluck } from "./pluck.js";
export { createPromptFiles, type PromptFiles, type PromptFilesOptions } from "./prompt-files.js";
export type { BodyRead } from "./serve/body.js";
export { BrokenConnection, type HttpHandler, type HttpReply, type HttpRequest } from "./serve/exchange.js";
export { forward, type Forwarded, type ForwardRequest } from "./serve/forward.js";
export { isLoopback, serveHttp, type HttpServer, type HttpServerOptions } from "./serve/server.js";
export type { TunnelRule } from "./serve/tunnel.js";
export { doJobs } from "./threads.js";
export type { Handler, JobsOptions, Lost } from "./threads/job.js";
export { keepThreads, type KeptThreads } from "./threads/kept.js";
export { serveJobs } from "./threads/worker.js";
export { VerbError, type VerbErrorCode } from "./verbs/error.js";
export type { ResolvedAddress, ResolveName } from "./verbs/options.js";
export { createVerbs } from "./verbs/verbs.js";
