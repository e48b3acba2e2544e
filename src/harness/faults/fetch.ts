// A `fetch` with one transport fault, used under our own providers so that their code produces the error.

import { VENDORS, type HttpFaultName, type LlmTurnResponse, type Ports, type WireName } from "../../core/index.js";
import { TRANSPORT_PATIENCE_MS } from "../limits.js";
import { GATEWAY_PAGE, httpFault } from "./bodies.js";
import type { Fault, NetworkCode } from "./fault.js";

export type WayFault = Extract<Fault, { kind: "http" | "network" | "hang" | "torn" | "wrong-json" }>;

type Torn = Extract<Fault, { kind: "torn" }>;

export interface FaultyWay {
  readonly wire: WireName;
  readonly ports: Pick<Ports, "now" | "timer">;
  /** The answer that the vendor would give. */
  readonly answer: LlmTurnResponse;
  /** The model of an answer without one. */
  readonly model: string;
}

export function faultFetch(fault: WayFault, way: FaultyWay): typeof globalThis.fetch {
  switch (fault.kind) {
    case "http":
      return async () => refuse(fault.wire ?? way.wire, fault.error);
    case "network":
      return () => Promise.reject(transportError("fetch failed", { code: fault.code, message: NETWORK[fault.code] }));
    case "hang":
      return (_input, init) =>
        new Promise((_resolve, reject) => {
          const late = () => transportError("fetch failed", HEADERS_TIMEOUT);
          whenPatienceEnds(way.ports, init?.signal, late, reject);
        });
    case "torn":
      return answerFetch(way, fault);
    case "wrong-json":
      return async (input, init) => wrongBody(fault.body, writeAnswer(way, isStreamed(way.wire, input, init)).join(""));
  }
}

/** Answers every request with `way.answer`, whole unless it is to be torn. */
export function answerFetch(way: FaultyWay, torn?: Torn): typeof globalThis.fetch {
  return async (input, init) => {
    const isStream = isStreamed(way.wire, input, init);
    const pieces = writeAnswer(way, isStream);
    const headers = { "content-type": isStream ? VENDORS[way.wire].streamType : "application/json" };
    if (torn === undefined) return new Response(pieces.join(""), { headers });
    if (torn.how === "error" && !isStream) return refuse(way.wire, "overloaded");
    return new Response(tear(pieces, torn, way, init?.signal), { headers });
  };
}

/** True if a request of our own provider wants a stream, by its body or its path. */
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
  { how, after = 0.5 }: Torn,
  { wire, ports }: FaultyWay,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  const came = how === "error" ? endInError(pieces, after, wire) : firstBytes(pieces, after);
  let stopWaiting: () => void = () => undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (came.length > 0) controller.enqueue(came);
      if (how === "closed" || how === "error") controller.close();
      if (how !== "stalled") return;
      const late = () => transportError("terminated", BODY_TIMEOUT);
      stopWaiting = whenPatienceEnds(ports, signal, late, (reason) => controller.error(reason));
    },
    // Called only after the bytes were read: an error at the start would discard them.
    pull:
      how === "reset" ? (controller) => controller.error(transportError("terminated", OTHER_SIDE)) : () => undefined,
    cancel: () => stopWaiting(),
  });
}

/** A share of the bytes, without the last pieces, because some wires are complete without their last event. */
function firstBytes(pieces: readonly string[], share: number): Uint8Array {
  const bytes = bytesOf(pieces);
  const most = pieces.length < 4 ? Math.max(0, bytes.length - 2) : bytesOf(pieces.slice(0, -3)).length;
  return bytes.subarray(0, Math.min(Math.floor(bytes.length * share), most));
}

/** A share of the events, and then the vendor's error. */
function endInError(pieces: readonly string[], share: number, wire: WireName): Uint8Array {
  const count = Math.min(Math.floor(pieces.length * share), Math.max(0, pieces.length - 3));
  return bytesOf([...pieces.slice(0, count), VENDORS[wire].streamError]);
}

function bytesOf(pieces: readonly string[]): Uint8Array {
  return new TextEncoder().encode(pieces.join(""));
}

function wrongBody(body: Extract<Fault, { kind: "wrong-json" }>["body"], answer: string): Response {
  const bodies = {
    page: GATEWAY_PAGE,
    half: `{"id":"faulty","object":${JSON.stringify(answer.slice(0, 8))}`,
    nothing: "",
    foreign: '{"ok":true,"result":"queued"}',
  };
  return new Response(bodies[body], {
    headers: { "content-type": body === "page" ? "text/html" : "application/json" },
  });
}

/** Calls `end` with `late()` when a transport would give up, or with the reason of the first signal. Returns a cancel function. */
function whenPatienceEnds(
  ports: Pick<Ports, "timer">,
  signal: AbortSignal | null | undefined,
  late: () => TypeError,
  end: (reason: unknown) => void,
): () => void {
  const cancel = ports.timer(TRANSPORT_PATIENCE_MS, () => {
    signal?.removeEventListener("abort", onAbort);
    end(late());
  });
  const onAbort = () => {
    cancel();
    end(signal?.reason);
  };
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return () => {
    cancel();
    signal?.removeEventListener("abort", onAbort);
  };
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

/** The rejection of Node's fetch: a TypeError with the error of the socket or undici as its cause. */
function transportError(message: string, { code, message: below }: { code: string; message: string }): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(below), { code }) });
}
