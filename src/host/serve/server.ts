// An HTTP server that passes every request to one handler and sends its reply, whole or as a stream. A server on a loopback address
// refuses requests from pages of other sites. It also refuses requests that name another host, so that no web page can reach it by a name
// of its own (DNS rebinding).

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { DEFAULT_MAX_HELD_REQUEST_BYTES, DEFAULT_MAX_REQUEST_BYTES } from "../limits.js";
import { bodyReader, type BodyMemory } from "./body.js";
import { BrokenConnection, type HttpHandler } from "./exchange.js";
import { acceptHttp2 } from "./http2.js";
import { sendReply } from "./reply.js";
import type { TunnelRule } from "./tunnel.js";
import { refuseUnreadable } from "./unreadable.js";

export interface HttpServerOptions {
  /** An address or name to listen on. Default 127.0.0.1. */
  host?: string;
  /** Default 0, which chooses a free port. */
  port?: number;
  /** Limit of one request body. Default 32 MiB. */
  maxBodyBytes?: number;
  /** Limit of all request bodies in memory. Default 256 MiB. */
  maxHeldBytes?: number;
  /** Called for a request that is refused before the handler gets it. */
  onRefused?: (request: { method: string; path: string }, why: string, status: number) => void;
  /** Lets clients use the server as their HTTPS_PROXY. Without it, CONNECT is refused. */
  tunnel?: TunnelRule | undefined;
}

export interface HttpServer {
  /** Without a slash at its end. */
  readonly url: string;
  /** False if other machines can reach it. */
  readonly isLoopback: boolean;
  /** Resolves when no request is being answered. */
  idle(): Promise<void>;
  /** Stops listening, drops every connection, and resolves when every handler has ended. */
  close(): Promise<void>;
}

/** Starts a server. Rejects with the system's error (`EADDRINUSE`, `EACCES` …). */
export async function serveHttp(handler: HttpHandler, options: HttpServerOptions = {}): Promise<HttpServer> {
  const { host = "127.0.0.1", port = 0, maxBodyBytes = DEFAULT_MAX_REQUEST_BYTES } = options;
  const memory: BodyMemory = { held: 0, maxHeld: options.maxHeldBytes ?? DEFAULT_MAX_HELD_REQUEST_BYTES };
  const running = new Set<Promise<void>>();
  let isLocal = true;
  const answering = new WeakMap<Duplex, ServerResponse>();
  const handle = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { socket } = incoming;
    answering.set(socket, response);
    const run = answer(incoming, response).finally(() => {
      answering.delete(socket);
      running.delete(run);
    });
    running.add(run);
  };
  const server = createServer(handle);
  const dropConnections = acceptHttp2(server, handle);
  refuseUnreadable(server, answering, options);

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    const foreign = isLocal ? whyForeign(incoming) : undefined;
    const target = urlText(incoming);
    const { method = "GET" } = incoming;
    if (foreign !== undefined || target === undefined) {
      const [status, why] = foreign === undefined ? [400, "the request has no path"] : [403, foreign];
      options.onRefused?.({ method, path: target?.pathname ?? "" }, why, status);
      refuse(incoming, response, status, why);
      return;
    }
    const { pathname, search } = target;
    const gone = new AbortController();
    // Aborting costs as much as the rest of a short request.
    response.on("close", () => (response.writableFinished ? undefined : gone.abort()));
    try {
      const reply = await handler({
        method,
        path: pathname,
        search,
        headers: incoming.headers,
        signal: gone.signal,
        onClose: (listener) => void response.on("close", listener),
        readBody: bodyReader(incoming, maxBodyBytes, memory),
      });
      await sendReply(response, reply);
    } catch (error) {
      if (error instanceof BrokenConnection) response.socket?.resetAndDestroy();
      else if (response.headersSent) response.destroy();
      else response.writeHead(500, { "content-type": "text/plain" }).end("the server failed\n");
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  // Checks the address, because `host` can spell loopback in many ways.
  isLocal = isLoopbackAddress(server);
  return {
    url: urlOf(server.address() as AddressInfo, host),
    isLoopback: isLocal,
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      dropConnections();
      await closed;
      await Promise.all(running);
    },
  };
}

/** True for the addresses and the name that lead only to this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

function isLoopbackAddress(server: Server): boolean {
  const bound = server.address();
  if (bound === null || typeof bound === "string") return false;
  return isLoopback(bound.address.replace(/^::ffff:/, ""));
}

/** Why a request cannot be from a program on this machine for this server. Undefined if it can. */
function whyForeign({ headers }: IncomingMessage): string | undefined {
  // HTTP/1.0 needs no host.
  const host = headers.host === undefined ? "localhost" : headers.host.replace(/:\d*$/, "").toLowerCase();
  if (!isLoopback(host)) {
    return "this server listens on a loopback address and answers only to 127.0.0.1 and localhost";
  }
  const { origin } = headers;
  const isOwn = origin === undefined || (URL.canParse(origin) && isLoopback(new URL(origin).hostname));
  if (!isOwn || headers["sec-fetch-site"] === "cross-site") {
    return "this server does not answer pages of other sites. Send the request from a program";
  }
  return undefined;
}

/** A path that begins with two slashes names no host. */
function urlText({ url = "/" }: IncomingMessage): URL | undefined {
  try {
    return new URL(url.startsWith("/") ? `http://localhost${url}` : url, "http://localhost");
  } catch {
    return undefined;
  }
}

function refuse({ httpVersionMajor }: IncomingMessage, response: ServerResponse, status: number, why: string): void {
  // HTTP/2 has no such header.
  const closing = httpVersionMajor === 1 ? { connection: "close" } : {};
  response.writeHead(status, { "content-type": "text/plain", ...closing }).end(`${why}\n`);
}

function urlOf({ port }: AddressInfo, host: string): string {
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}
