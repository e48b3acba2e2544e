// The door of the host: what owns a disk, a process, a socket or a schedule.

export { nodeFiles } from "./files.js";
export {
  JsonLinesError,
  openJsonLines,
  type JsonLinesErrorCode,
  type JsonLinesFile,
  type JsonLinesOptions,
  type MendedLine,
} from "./json-lines.js";
export type { BodyRead } from "./serve/body.js";
export type { HttpHandler, HttpReply, HttpRequest } from "./serve/exchange.js";
export { forward, type Forwarded, type ForwardRequest } from "./serve/forward.js";
export { isLoopback, serveHttp, type HttpServer, type HttpServerOptions } from "./serve/server.js";
export { VerbError, type VerbErrorCode } from "./verbs/error.js";
export type { ResolvedAddress, ResolveName, VerbsOptions } from "./verbs/options.js";
export { createVerbs } from "./verbs/verbs.js";
