// HTTP/2 without TLS (RFC 9113 §3.3) on the port of an HTTP/1 server. The AWS client for Bedrock speaks nothing else.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer, type Http2ServerRequest } from "node:http2";
import type { Socket } from "node:net";
import { defined } from "../../core/index.js";

/** The start of a connection of HTTP/2. No HTTP/1 method has this name. */
const PREFACE = "PRI ";

/** Lets `server` also answer connections that begin as HTTP/2. Returns a function that drops all connections. */
export function acceptHttp2(
  server: Server,
  handle: (incoming: IncomingMessage, response: ServerResponse) => void,
): () => void {
  const second = createServer((incoming, response) => {
    renameHost(incoming);
    // Node's classes for HTTP/2 have the members of those for HTTP/1 that a handler uses.
    handle(incoming as unknown as IncomingMessage, response as unknown as ServerResponse);
  });
  second.on("sessionError", () => undefined);
  const first = server.listeners("connection") as ((socket: Socket) => void)[];
  const sockets = new Set<Socket>();
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    const fail = () => void socket.destroy();
    socket.once("error", fail);
    socket.once("data", (start: Buffer) => {
      socket.off("error", fail);
      socket.pause();
      socket.unshift(start);
      if (start.toString("latin1", 0, PREFACE.length) === PREFACE) second.emit("connection", socket);
      else for (const listener of first) listener.call(server, socket);
      process.nextTick(() => socket.resume());
    });
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** Gives a request the headers that it has in HTTP/1. Its own ones stay, since its method and path are among them. */
function renameHost(incoming: Http2ServerRequest): void {
  const { ":authority": host, ...headers } = incoming.headers;
  const plain = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  Object.defineProperty(incoming, "headers", { value: { ...defined({ host }), ...Object.fromEntries(plain) } });
}
