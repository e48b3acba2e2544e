// The types between a server and its handler.

import type { IncomingHttpHeaders } from "node:http";
import type { BodyRead } from "./body.js";

/** One request. Header names are lower-case. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** With its question mark, or "". */
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  /** Fires when the client is gone before the answer, and when the server closes. */
  readonly signal: AbortSignal;
  /** Calls `listener` when the answer was sent, or when the client is gone. */
  onClose(listener: () => void): void;
  /** The whole body. Call it only once. Never rejects. */
  readBody(): Promise<BodyRead>;
}

/** A whole body, or parts that are sent as they come. An error in a part closes the connection. */
export interface HttpReply {
  status: number;
  headers: Readonly<Record<string, string | readonly string[]>>;
  body: string | Uint8Array | Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Thrown by a handler to break the connection without an answer. */
export class BrokenConnection extends Error {}

/** May throw. The client then gets status 500 without a reason, or a reset connection for {@link BrokenConnection}. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpReply>;
