// The door of the host: what owns a disk, a process, a socket or a schedule.

export { nodeFiles, pathBeside } from "./files.js";
export type { BodyRead } from "./serve/body.js";
export type { HttpHandler, HttpReply, HttpRequest } from "./serve/exchange.js";
export { forward, type Forwarded, type ForwardRequest } from "./serve/forward.js";
export { isLoopback, serveHttp, type HttpServer, type HttpServerOptions } from "./serve/server.js";
