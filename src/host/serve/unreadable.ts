// Requests that cannot reach a handler: those that are not HTTP, and CONNECT. Node would close their connections without a word.

import type { Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { openTunnel, readAuthority, type TunnelRule } from "./tunnel.js";

/** `method` is "*" if it cannot be read. */
export type OnUnreadable = (request: { method: string; path: string }, why: string, status: number) => void;

type ParseError = Error & { code?: string; rawPacket?: Buffer };

/** Answers such requests and reports them. `answering` has the open answers of requests that a handler has, by connection. */
export function refuseUnreadable(
  server: Server,
  answering: WeakMap<Duplex, ServerResponse>,
  { onRefused: report, tunnel }: { onRefused?: OnUnreadable | undefined; tunnel?: TunnelRule | undefined },
): void {
  server.on("clientError", (error: ParseError, socket: Duplex) => {
    const open = answering.get(socket);
    if (!socket.writable || open?.headersSent === true || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    const [status, why] = explain(error);
    // A handler notices by itself that its request broke off.
    if (open === undefined) report?.(requestIn(error.rawPacket), why, status);
    end(socket, status, why);
  });
  server.on("connect", ({ url = "" }, socket: Duplex, head: Buffer) => {
    socket.on("error", () => undefined);
    const refuse = (status: number, why: string): void => {
      report?.({ method: "CONNECT", path: url }, why, status);
      end(socket, status, why);
    };
    if (tunnel === undefined) {
      refuse(405, NOT_A_PROXY);
      return;
    }
    const to = readAuthority(url);
    const why = to === undefined ? "CONNECT names no host and port" : tunnel(to.host, to.port);
    if (to === undefined || why !== undefined) refuse(to === undefined ? 400 : 403, why ?? "");
    else openTunnel(to, socket, head, (why) => end(socket, 502, why));
  });
}

const NOT_A_PROXY = "this server cannot be used as HTTPS_PROXY. Set the client's base URL to it";

/** The first byte of a TLS connection (RFC 8446 §5.1). */
const TLS_HANDSHAKE = 0x16;

function explain({ code, message, rawPacket }: ParseError): [status: number, why: string] {
  if (rawPacket?.[0] === TLS_HANDSHAKE) return [400, "the client speaks https. Give it a base URL with http://"];
  if (code === "HPE_HEADER_OVERFLOW") return [431, "the headers of the request are too large"];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return [408, "the request was not complete in time"];
  return [400, `the request is not HTTP: ${message}`];
}

const REQUEST_LINE = /^([A-Z]{1,20}) (\/[^\s?#]{0,200})/;

function requestIn(packet: Buffer | undefined): { method: string; path: string } {
  const [, method = "*", path = "(unreadable)"] = REQUEST_LINE.exec(packet?.toString("latin1", 0, 300) ?? "") ?? [];
  return { method, path };
}

function end(socket: Duplex, status: number, why: string): void {
  const head = `HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-type: text/plain\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(why) + 1}\r\n\r\n${why}\n`, () => socket.destroy());
}
