// Passing a request on to another server, byte for byte, and its answer back as it comes. Nothing is followed, added to or
// kept: fetch would follow redirects and write headers of its own, so this is node:http(s) itself.

import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";

/** A request as it is passed on. */
export interface ForwardRequest {
  url: URL;
  method: string;
  headers: IncomingHttpHeaders;
  body: Uint8Array;
  signal: AbortSignal;
}

/** The other server's answer; `body` throws when it breaks off. */
export interface Forwarded {
  status: number;
  headers: Record<string, string | readonly string[]>;
  body: AsyncIterable<Uint8Array>;
}

/** Of one connection and not of the message (RFC 9110 §7.6.1), or true of our own leg alone. */
const OWN_LEG = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Request headers that are written again for our leg: host, length, and an encoding that asks for plain bytes. */
const NOT_SENT_ON = [...OWN_LEG, "host", "content-length", "expect", "accept-encoding"];

/**
 * Sends the request on a connection of its own. Rejects if the other server cannot be reached. A pooled connection may have been closed
 * by the server while it was idle, and a request sent on it fails although the server is up.
 */
export function forward({ url, method, headers, body, signal }: ForwardRequest): Promise<Forwarded> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = {
      ...without(headers, NOT_SENT_ON),
      "accept-encoding": "identity",
      ...(body.length > 0 ? { "content-length": body.length } : {}),
    };
    const outgoing = send(url, { method, headers: sent, signal, agent: false }, (answer) => {
      resolve({ status: answer.statusCode ?? 502, headers: without(answer.headers, OWN_LEG), body: partsOf(answer) });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** A body that is not read to its end is dropped, and the connection with it. */
async function* partsOf(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  for await (const part of answer) yield part as Uint8Array;
}

/** Header fields a sender named in `Connection` are its own leg's, too. */
function without(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string | string[]> {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const kept = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] =>
      entry[1] !== undefined && !names.includes(entry[0]) && !named.includes(entry[0]),
  );
  return Object.fromEntries(kept);
}
