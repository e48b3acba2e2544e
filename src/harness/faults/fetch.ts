// A `fetch` that has one fault: what breaks between an agent and its vendor, said in the bytes and errors of the transport. Put
// under a provider of ours, the error a caller sees is the one that provider's own code makes.

import { VENDORS, type HttpFaultName, type LlmTurnResponse, type Ports, type WireName } from "../../core/index.js";
import { GATEWAY_PAGE, httpFault } from "./bodies.js";
import type { Fault, NetworkCode } from "./fault.js";

/** The faults that a transport can have. */
export type WayFault = Extract<Fault, { kind: "http" | "network" | "hang" | "torn" | "wrong-json" }>;

/** How the bytes of an answer come: all of them, or as a torn one. */
export type Delivery = { readonly kind: "whole" } | Torn;

type Torn = Extract<Fault, { kind: "torn" }>;

export interface FaultyWay {
  readonly wire: WireName;
  readonly ports: Pick<Ports, "now" | "timer">;
  /** What the vendor was about to answer. */
  readonly answer: LlmTurnResponse;
  /** Named by the answer where it names none. */
  readonly model: string;
}

/** After so much silence Node's fetch gives up by itself (undici's `headersTimeout` and `bodyTimeout`). */
export const TRANSPORT_PATIENCE_MS = 300_000;
/** Where a torn answer breaks unless it is said. */
const HALF = 0.5;

/** Answers every request with the fault. */
export function faultFetch(fault: WayFault, way: FaultyWay): typeof globalThis.fetch {
  switch (fault.kind) {
    case "http":
      return async () => refuse(fault.wire ?? way.wire, fault.error);
    case "network":
      return () => Promise.reject(networkError(fault.code));
    case "hang":
      return (_input, init) =>
        new Promise((_resolve, reject) => {
          whenPatienceEnds(
            way.ports,
            init?.signal,
            () => reject(transportError("fetch failed", HEADERS_TIMEOUT)),
            reject,
          );
        });
    case "torn":
      return answerFetch(fault, way);
    case "wrong-json":
      return async (input, init) => wrongBody(fault.body, writeAnswer(way, isStreamed(way.wire, input, init)).join(""));
  }
}

/** Answers every request with `way.answer`, whole or torn. */
export function answerFetch(delivery: Delivery, way: FaultyWay): typeof globalThis.fetch {
  return async (input, init) => {
    const isStream = isStreamed(way.wire, input, init);
    const pieces = writeAnswer(way, isStream);
    const headers = { "content-type": isStream ? VENDORS[way.wire].streamType : "application/json" };
    if (delivery.kind === "whole") return new Response(pieces.join(""), { headers });
    if (delivery.how === "error" && !isStream) return refuse(way.wire, "overloaded");
    return new Response(tear(pieces, delivery, way, init?.signal), { headers });
  };
}

/** Whether a request of our own provider wants a stream, which its body or its path says. */
function isStreamed(wire: WireName, url: unknown, init: RequestInit | undefined): boolean {
  return VENDORS[wire].parse(JSON.parse(init?.body as string), new URL(url as string).pathname).isStream;
}

function writeAnswer({ wire, answer, model, ports }: FaultyWay, isStream: boolean): string[] {
  const stamp = { id: "faulty", createdAt: ports.now(), model, wantsUsage: true };
  return isStream ? VENDORS[wire].stream(answer, stamp) : [JSON.stringify(VENDORS[wire].write(answer, stamp))];
}

function refuse(wire: WireName, error: HttpFaultName): Response {
  const { status = 500, headers = {}, body = "" } = httpFault(wire, error) ?? {};
  return new Response(body, { status, headers });
}

/** The first bytes of an answer, always fewer than all of them, and then its end. */
function tear(
  pieces: readonly string[],
  { how, after = HALF }: Torn,
  { wire, ports }: FaultyWay,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  const came = how === "error" ? endInError(pieces, after, wire) : firstBytes(pieces, after);
  let stopWaiting: () => void = () => undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (came.length > 0) controller.enqueue(came);
      switch (how) {
        case "closed":
        case "error":
          controller.close();
          return;
        case "reset":
          return;
        case "stalled":
          stopWaiting = whenPatienceEnds(
            ports,
            signal,
            () => controller.error(transportError("terminated", BODY_TIMEOUT)),
            (reason) => controller.error(reason),
          );
      }
    },
    // Asked only once what came has been read: an error at the start would take the bytes away.
    pull:
      how === "reset" ? (controller) => controller.error(transportError("terminated", OTHER_SIDE)) : () => undefined,
    // By a reader who has heard enough.
    cancel: () => stopWaiting(),
  });
}

/** Not the last pieces, since some wires are whole without their very last event. */
function firstBytes(pieces: readonly string[], share: number): Uint8Array {
  const bytes = bytesOf(pieces);
  const most = pieces.length < 4 ? Math.max(0, bytes.length - 2) : bytesOf(pieces.slice(0, -3)).length;
  return bytes.subarray(0, Math.min(Math.floor(bytes.length * share), most));
}

/** Whole events, and the vendor's error in the place of the others. */
function endInError(pieces: readonly string[], share: number, wire: WireName): Uint8Array {
  const count = Math.min(Math.floor(pieces.length * share), Math.max(0, pieces.length - 3));
  return bytesOf([...pieces.slice(0, count), VENDORS[wire].streamError]);
}

function bytesOf(pieces: readonly string[]): Uint8Array {
  return new TextEncoder().encode(pieces.join(""));
}

function wrongBody(body: Extract<Fault, { kind: "wrong-json" }>["body"], answer: string): Response {
  switch (body) {
    case "page":
      return new Response(GATEWAY_PAGE, { headers: { "content-type": "text/html" } });
    case "half":
      return new Response(`{"id":"faulty","object":${JSON.stringify(answer.slice(0, 8))}`, JSON_ANSWER);
    case "nothing":
      return new Response("", JSON_ANSWER);
    case "foreign":
      return new Response('{"ok":true,"result":"queued"}', JSON_ANSWER);
  }
}

const JSON_ANSWER = { headers: { "content-type": "application/json" } };

/**
 * Calls `late` when a transport would give up, or `stop` with the reason when the signal fires first; neither once the function
 * that it returns was called.
 */
function whenPatienceEnds(
  ports: Pick<Ports, "timer">,
  signal: AbortSignal | null | undefined,
  late: () => void,
  stop: (reason: unknown) => void,
): () => void {
  const cancel = ports.timer(TRANSPORT_PATIENCE_MS, () => {
    signal?.removeEventListener("abort", onAbort);
    late();
  });
  const onAbort = () => {
    cancel();
    stop(signal?.reason);
  };
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return () => {
    cancel();
    signal?.removeEventListener("abort", onAbort);
  };
}

interface Below {
  readonly code: string;
  readonly message: string;
}

const HEADERS_TIMEOUT = { code: "UND_ERR_HEADERS_TIMEOUT", message: "Headers Timeout Error" };
const BODY_TIMEOUT = { code: "UND_ERR_BODY_TIMEOUT", message: "Body Timeout Error" };
const OTHER_SIDE = { code: "UND_ERR_SOCKET", message: "other side closed" };

const NETWORK: Readonly<Record<NetworkCode, string>> = {
  ECONNREFUSED: "connect ECONNREFUSED 192.0.2.1:443",
  ECONNRESET: "read ECONNRESET",
  ENOTFOUND: "getaddrinfo ENOTFOUND",
  UND_ERR_CONNECT_TIMEOUT: "Connect Timeout Error (attempted address: 192.0.2.1:443, timeout: 10000ms)",
};

function networkError(code: NetworkCode): TypeError {
  return transportError("fetch failed", { code, message: NETWORK[code] });
}

/** What Node's fetch rejects with: a TypeError, and below it what the socket or undici said. */
function transportError(message: string, { code, message: below }: Below): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(below), { code }) });
}
