// One HTTP exchange through node:http(s), whose `lookup` allows checking the connected address. Each redirect is checked like the first URL.
// There are no pools, cookies, referrers or credentials, except the header fields that the caller sets for an origin.

import { untilAborted } from "../../core/index.js";
import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { startDeadline } from "./deadline.js";
import { VerbError } from "./error.js";
import { readBody, type Body, type BodyLimit } from "./http-body.js";
import type { Net } from "./options.js";
import { assertReachable, guardedLookup } from "./host-guard.js";

export interface HttpAsk {
  readonly url: URL;
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly bytes: Uint8Array; readonly mediaType: string };
  /** False returns a redirect as the answer. Default true. */
  readonly follow?: boolean;
}

export interface HttpAnswer {
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Milliseconds from the request that was answered to the head of its answer. */
  readonly latencyMs: number;
  readonly read: (limit?: Partial<BodyLimit>) => Promise<Body>;
}

/** Passes the answer to `use`, and closes the connection when this settles. Rejects with `VerbError`, or the signal's reason. */
export async function exchange<T>(
  net: Net,
  ask: HttpAsk,
  signal: AbortSignal,
  use: (answer: HttpAnswer) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(signal, net.timeoutMs);
  let arrived: Arrival | undefined;
  const run = async () => {
    const { message, url, latencyMs } = (arrived = await follow(net, ask, deadline.signal));
    const { statusCode: status = 0, headers } = message;
    const read: HttpAnswer["read"] = async (limit) => {
      const body = await readBody(message, { maxBytes: net.maxBytes, cut: false, ...limit });
      // A body that ends with its connection (RFC 9112 §6.3) looks whole even if we closed the connection.
      deadline.signal.throwIfAborted();
      return body;
    };
    return use({ url, status, headers, latencyMs, read });
  };
  try {
    return await untilAborted(run(), deadline.signal);
  } catch (error) {
    if (error instanceof VerbError) throw error;
    signal.throwIfAborted();
    if (deadline.isOver()) throw new VerbError("timeout", `${ask.url.host} took longer than ${net.timeoutMs} ms`);
    throw unreachable(ask.url, error);
  } finally {
    deadline.stop();
    arrived?.message.destroy();
  }
}

interface Arrival {
  readonly url: URL;
  readonly message: IncomingMessage;
  readonly latencyMs: number;
}

async function follow(net: Net, ask: HttpAsk, signal: AbortSignal): Promise<Arrival> {
  let { url } = ask;
  for (let hop = 0; ; hop++) {
    const start = performance.now();
    const message = await send(net, { ...ask, url }, signal);
    const latencyMs = performance.now() - start;
    const { location } = message.headers;
    const isRedirect = [301, 302, 303, 307, 308].includes(message.statusCode ?? 0) && location !== undefined;
    if (ask.follow === false || !isRedirect) return { url, message, latencyMs };
    message.destroy();
    if (hop >= net.maxRedirects) {
      throw new VerbError("redirect", `${ask.url.host} redirects more than ${net.maxRedirects} times`);
    }
    url = redirectTarget(url, location);
  }
}

/** The target of a redirect. Throws `VerbError` `redirect` for one that leaves https, or is not a URL. */
export function redirectTarget(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) throw new VerbError("redirect", `${from.host} redirects to an invalid URL`);
  const to = new URL(location, from);
  if (from.protocol === "https:" && to.protocol === "http:") {
    throw new VerbError("redirect", `${from.host} redirects from https to http, which is not followed`);
  }
  return to;
}

function send(
  net: Net,
  { url, method = "GET", headers, body }: HttpAsk,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  assertReachable(url, net);
  signal.throwIfAborted();
  const start = url.protocol === "https:" ? requestHttps : requestHttp;
  const fields = {
    accept: "*/*",
    "accept-encoding": "gzip, br",
    "user-agent": net.userAgent,
    ...headers,
    ...net.headers.get(url.origin),
    ...(body === undefined ? {} : { "content-type": body.mediaType, "content-length": String(body.bytes.length) }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = start(
      url,
      { method, headers: fields, agent: false, lookup: guardedLookup(url, net), signal },
      (message) => {
        // A reader gets errors from the iteration. Errors after the answer was dropped are ignored.
        message.on("error", () => undefined);
        resolve(message);
      },
    );
    outgoing.on("error", reject);
    outgoing.on("upgrade", (_message, socket) => {
      socket.destroy();
      reject(new VerbError("unreachable", `${url.host} switched to another protocol without a request`));
    });
    // Has no effect after an answer or an error.
    outgoing.on("close", () => reject(new Error("closed without an answer")));
    outgoing.end(body?.bytes);
  });
}

/** The system's message may name an address; its code does not. */
function unreachable(url: URL, error: unknown): VerbError {
  const { code } = error as NodeJS.ErrnoException;
  const why = typeof code === "string" ? code : "the connection failed";
  return new VerbError("unreachable", `${url.host} could not be reached or broke off (${why})`, error);
}
