// The door of the host: what owns a disk, a process, a socket or a schedule.

export { nodeFiles } from "./files.js";
export {
  MAX_MEMORY_NAME_CHARACTERS,
  MAX_MEMORY_VALUE_CHARACTERS,
  openSqliteMemory,
  type SqliteMemory,
  type SqliteMemoryOptions,
} from "./memory/sqlite.js";
export type { BodyRead } from "./serve/body.js";
export type { HttpHandler, HttpReply, HttpRequest } from "./serve/exchange.js";
export { forward, type Forwarded, type ForwardRequest } from "./serve/forward.js";
export { isLoopback, serveHttp, type HttpServer, type HttpServerOptions } from "./serve/server.js";
