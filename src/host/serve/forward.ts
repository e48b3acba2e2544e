// Forwards a request byte for byte, and its answer as it comes. It uses node:http(s), because fetch would follow redirects and add headers.

import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";

export interface ForwardRequest {
  url: URL;
  method: string;
  headers: IncomingHttpHeaders;
  body: Uint8Array;
  signal: AbortSignal;
}

/** The other server's answer. `body` throws if the connection breaks. */
export interface Forwarded {
  status: number;
  headers: Record<string, string | readonly string[]>;
  body: AsyncIterable<Uint8Array>;
}

/** Headers of one connection (RFC 9110 §7.6.1), which are not forwarded. */
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

/** Request headers that are replaced: host, length, and the encoding, which becomes `identity`. */
const NOT_SENT_ON = [...OWN_LEG, "host", "content-length", "expect", "accept-encoding"];

/** Rejects if the other server cannot be reached. Uses a new connection, because a request on a closed idle one would fail. */
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

/** If the body is not read to its end, the connection is closed. */
async function* partsOf(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  for await (const part of answer) yield part as Uint8Array;
}

/** Also removes the fields that `Connection` names. */
function without(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string | string[]> {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const kept = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] =>
      entry[1] !== undefined && !names.includes(entry[0]) && !named.includes(entry[0]),
  );
  return Object.fromEntries(kept);
}
