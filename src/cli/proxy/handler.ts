// The recording proxy as a function from requests to replies: what came goes on as it came, the answer goes back as it comes,
// and a copy of both is looked at.

import { gunzipSync } from "node:zlib";
import type { Finder } from "../../cassette/index.js";
import { thrownText, wireOf } from "../../core/index.js";
import { PIN_HEADER, readHeldState, refusalReply, type Refusal } from "../../harness/index.js";
import { forward, type Forwarded, type HttpHandler, type HttpReply, type HttpRequest } from "../../host/index.js";
import { SENT_AGAIN } from "../serve/advice.js";
import { readBytes } from "../serve/read-bytes.js";
import { readGivenName } from "./names.js";
import type { PassedPart, TurnWatch, ProxyRecorder } from "./recorder.js";
import { below } from "./target.js";

/** The most of one answer that is kept for a look; the client gets all of it. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

export interface ProxyHandlerOptions {
  readonly target: URL;
  readonly recorder: ProxyRecorder;
  /** Finds what must not be in the name of a file. */
  readonly findSecrets: Finder;
  /** Why a client cannot have this name for its recording; undefined where it has it from now on. */
  readonly claim: (name: string) => Promise<string | undefined>;
  /** Called with the reason why a target gave no answer. */
  readonly note: (text: string) => void;
  /** Called for a request that was not passed on and that its client sends again as a whole conversation. */
  readonly sentBack: (text: string) => void;
}

/**
 * Forwards everything but requests that continue a conversation on the vendor's server. Turns are recorded, any other request is
 * counted.
 */
export function proxyHandler(options: ProxyHandlerOptions): HttpHandler {
  const { target, recorder, note, sentBack } = options;
  return async (request) => {
    const { method, path } = request;
    const wire = wireOf(request);
    const admitted = await admit(request, options);
    if ("refusal" in admitted) {
      recorder.lose(`${method} ${path} was not passed on: ${admitted.refusal.message}`);
      return refusalReply(admitted.refusal, wire);
    }
    const { bytes, name } = admitted;
    const state = wire === undefined ? undefined : readHeldState(wire, bytes);
    if (state !== undefined) {
      if (state.isRecoverable) sentBack(`${method} ${path} ${SENT_AGAIN}`);
      else recorder.lose(`${method} ${path} was not passed on: ${state.held.message}`);
      return refusalReply(state.held, wire);
    }
    const turn = wire === undefined ? undefined : recorder.open({ wire, path, body: bytes, name });
    const answer = await send(target, request, bytes);
    if (turn === undefined && !("refusal" in answer)) recorder.pass(request);
    if ("refusal" in answer && request.signal.aborted) {
      turn?.failed();
      recorder.lose(`${method} ${path}: ${LEFT}`);
      return refusalReply(answer.refusal, wire);
    }
    if ("refusal" in answer || answer.status < 200 || answer.status > 299) {
      turn?.failed();
      if ("refusal" in answer) note(answer.refusal.message);
      return "refusal" in answer ? refusalReply(answer.refusal, wire) : answer;
    }
    return turn === undefined
      ? answer
      : { ...answer, body: watch(answer, turn, request.signal, () => recorder.lose(`${method} ${path}: ${LEFT}`)) };
  };
}

/** The vendor may have answered, and charged for it. */
const LEFT = "the client left before the answer came";

/** The body of a request and the name of its recording, or why it is not passed on. */
async function admit(
  request: HttpRequest,
  { claim, findSecrets }: ProxyHandlerOptions,
): Promise<{ bytes: Uint8Array; name?: string } | { refusal: Refusal }> {
  const given = readGivenName(request, findSecrets);
  if ("refusal" in given) return given;
  const why = given.name === undefined ? undefined : await claim(given.name);
  if (why !== undefined)
    return { refusal: { status: 400, code: "invalid-name", message: `${PIN_HEADER} names a recording, but ${why}` } };
  const read = await readBytes(request);
  return "refusal" in read ? read : { ...read, ...given };
}

async function send(target: URL, request: HttpRequest, body: Uint8Array): Promise<Forwarded | { refusal: Refusal }> {
  const url = below(target, request.path, request.search);
  const { method, signal } = request;
  // The name of a recording is the proxy's business.
  const { [PIN_HEADER]: _, ...headers } = request.headers;
  let answer: Forwarded;
  try {
    answer = await forward({ url, method, headers, body, signal });
  } catch (error) {
    const why = thrownText(error);
    return {
      refusal: { status: 502, code: "target-unreachable", message: `${target.host} could not be reached: ${why}` },
    };
  }
  // A client that followed it would take its key to a host that nobody configured.
  const isRedirect = answer.status >= 300 && answer.status < 400 && "location" in answer.headers;
  if (!isRedirect) return answer;
  const message = `${target.host} answered with a redirect, which is not followed; give its final address as --target`;
  return { refusal: { status: 502, code: "target-redirects", message } };
}

/**
 * The parts as they come. When they have ended, or nobody takes them any more, the turn is settled. `left` is called where the client
 * was gone before the first part.
 */
function watch(answer: Forwarded, turn: TurnWatch, signal: AbortSignal, left: () => void): HttpReply["body"] {
  const chunks: Uint8Array[] = [];
  const parts: PassedPart[] = [];
  let size = 0;
  let isSettled = false;
  const settle = (isCut: boolean): void => {
    if (isSettled) return;
    isSettled = true;
    if (isCut && size === 0) {
      turn.failed();
      if (signal.aborted) left();
      return;
    }
    const kept = Buffer.concat(chunks);
    const bytes = size > MAX_KEPT_BYTES ? undefined : plain(kept, isCut);
    const isStreamed = bytes !== undefined && isStream(answer, bytes);
    turn.answered({ bytes, isStream: isStreamed, isCut, parts: bytes === kept ? parts : [] });
  };
  const passOn = async function* (): AsyncGenerator<Uint8Array> {
    let isCut = true;
    try {
      for await (const part of answer.body) {
        size += part.length;
        if (size <= MAX_KEPT_BYTES) {
          chunks.push(part);
          parts.push({ end: size, at: Date.now() });
        }
        yield part;
      }
      isCut = false;
    } finally {
      settle(isCut);
    }
  };
  // The client may be gone before anybody asks for the first part.
  signal.addEventListener("abort", () => settle(true));
  return passOn();
}

/** By its header, or by its first words: some gateways stream under another name. */
function isStream({ headers }: Forwarded, bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 64)).toString("latin1").trimStart();
  return /event-stream|ndjson/.test(String(headers["content-type"] ?? "")) || /^(data|event|id|retry)?:/.test(start);
}

/** Without its gzip, which some vendors send to whoever asked for none. A cut one is left as it is, and so said to be cut. */
function plain(bytes: Buffer, isCut: boolean): Uint8Array | undefined {
  if (isCut || bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_KEPT_BYTES });
  } catch {
    return undefined;
  }
}
