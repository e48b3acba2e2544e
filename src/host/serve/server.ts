// An HTTP server that hands every request to one handler and its reply back, whole or as a stream. It knows bytes, limits and
// connections; what is answered is the handler's business. For this machine: a server that listens on a loopback address
// refuses requests that name another host, so that no web page can reach it by a name of its own (DNS rebinding).

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { bodyReader } from "./body.js";
import type { HttpHandler } from "./exchange.js";
import { sendReply } from "./reply.js";

export interface HttpServerOptions {
  /** An address or name to listen on. Default 127.0.0.1. */
  host?: string;
  /** 0, the default, takes any free port. */
  port?: number;
  /** The largest request body that is read. Default 32 MiB. */
  maxBodyBytes?: number;
}

export interface HttpServer {
  /** Without a slash at its end. */
  readonly url: string;
  /** Resolves when no request is being answered. */
  idle(): Promise<void>;
  /** Stops listening, drops every connection, and resolves when every handler has ended. */
  close(): Promise<void>;
}

const DEFAULT_MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Starts to listen. Rejects with the system's own error (`EADDRINUSE`, `EACCES` …). */
export async function serveHttp(handler: HttpHandler, options: HttpServerOptions = {}): Promise<HttpServer> {
  const { host = "127.0.0.1", port = 0, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options;
  const running = new Set<Promise<void>>();
  const server = createServer((incoming, response) => {
    const run = answer(incoming, response).finally(() => running.delete(run));
    running.add(run);
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    if (isLoopback(host) && !isLoopback(hostOf(incoming))) {
      refuseHost(response);
      return;
    }
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    try {
      const { pathname, search } = new URL(incoming.url ?? "/", "http://localhost");
      const reply = await handler({
        method: incoming.method ?? "GET",
        path: pathname,
        search,
        headers: incoming.headers,
        signal: gone.signal,
        readBody: bodyReader(incoming, maxBodyBytes),
      });
      await sendReply(response, reply);
    } catch {
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "content-type": "text/plain" }).end("the server failed\n");
    }
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    url: urlOf(server.address() as AddressInfo, host),
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await Promise.all(running);
    },
  };
}

/** True for the addresses and the name that lead to this machine alone. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The host a request names, without its port; HTTP/1.0 needs none. */
function hostOf({ headers }: IncomingMessage): string {
  const { host } = headers;
  return host === undefined ? "localhost" : host.replace(/:\d*$/, "").toLowerCase();
}

function refuseHost(response: ServerResponse): void {
  const text = "this server listens on a loopback address and answers to 127.0.0.1 and localhost alone\n";
  response.writeHead(403, { "content-type": "text/plain", connection: "close" }).end(text);
}

function urlOf({ port }: AddressInfo, host: string): string {
  return `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}
