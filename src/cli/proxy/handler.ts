// The recording proxy as a function from requests to replies. It passes on requests and answers unchanged, and records a copy.

import { gunzipSync } from "node:zlib";
import { isTextual, MAX_RECORDED_BODY_BYTES, type Finder } from "../../cassette/index.js";
import { createHeldConversations, holderOf, thrownText, VENDORS, wireOf } from "../../core/index.js";
import {
  FORGOT,
  PIN_HEADER,
  probeReply,
  readExchange,
  readTurn,
  refusalReply,
  type IsPassed,
  type PassedPart,
  type Refusal,
} from "../../harness/index.js";
import {
  forward,
  type Forwarded,
  type HttpHandler,
  type HttpReply,
  type HttpRequest,
  isLoopback,
} from "../../host/index.js";
import { SENT_AGAIN, readBytes } from "../serve/handler.js";
import { readGivenName } from "./names.js";
import type { AnswerWatch } from "./answer-watch.js";
import type { ProxyRecorder } from "./recorder.js";
import { CliError } from "../errors.js";

/** Passes a request on. `whole` has its whole conversation, if it continues one. */
export type Send = (
  request: HttpRequest,
  body: Uint8Array,
  whole: Uint8Array,
) => Promise<Forwarded | { refusal: Refusal }>;

interface ProxyHandlerOptions {
  /** Default: to the target as it is. */
  readonly send?: Send;
  readonly target: URL;
  readonly recorder: ProxyRecorder;
  /** True for a request that goes to the target unrecorded. */
  readonly isPassed: IsPassed;
  /** Finds secrets in the names of files. */
  readonly findSecrets: Finder;
  /** Reserves a name for a client's recording. Resolves to the reason if the client cannot have it. */
  readonly claim: (name: string) => Promise<string | undefined>;
  /** Called when a target does not answer. */
  readonly note: (text: string) => void;
  /** Called for a refused request that its client sends again as a whole conversation. */
  readonly sentBack: (text: string) => void;
  /** Called when conversations that a request may continue are forgotten. */
  readonly forgot: (text: string) => void;
}

/** Forwards all requests except those that continue a thread that began elsewhere, or a part that a recording leaves out. Records turns, and other requests as exchanges. */
export function proxyHandler(options: ProxyHandlerOptions): HttpHandler {
  const { target, recorder, isPassed, note, sentBack, forgot, send = sendTo(target) } = options;
  const held = createHeldConversations(() => forgot(FORGOT));
  return async (request) => {
    const { method, path, search } = request;
    const wire = wireOf(request);
    const probe = probeReply(request);
    if (probe !== undefined) {
      recorder.probe(request);
      return probe;
    }
    const admitted = await admit(request, options);
    if ("refusal" in admitted) {
      recorder.refuse(request, admitted.refusal.message);
      return refusalReply(admitted.refusal, wire);
    }
    const { bytes, name } = admitted;
    if (isPassed(request)) {
      recorder.pass(request);
      const answer = await send(request, bytes, bytes);
      return "refusal" in answer ? refusalReply(answer.refusal, wire) : answer;
    }
    const read = wire === undefined ? undefined : await readTurn(wire, bytes, `${path}${search}`, held);
    if (read !== undefined && "held" in read && (read.isRecoverable || read.isLeftOut)) {
      if (read.isRecoverable) sentBack(`${method} ${path} ${SENT_AGAIN}`);
      else recorder.refuse(request, read.held.message);
      return refusalReply(read.held, wire);
    }
    const { "content-type": type } = request.headers;
    const body = read === undefined ? await readExchange(request, bytes, held) : bytes;
    const passing = { method, path, url: `${path}${search}`, type, body, name };
    const holder = holderOf(request);
    const opened =
      wire !== undefined && read !== undefined
        ? recorder.turn({ ...passing, wire, read, held })
        : holder === undefined
          ? recorder.exchange(passing)
          : recorder.begin({ ...passing, wire: holder, held });
    const answer = await send(request, bytes, read?.body ?? bytes);
    if ("refusal" in answer) {
      if (request.signal.aborted) opened.left();
      else {
        opened.failed();
        note(answer.refusal.message);
      }
      return refusalReply(answer.refusal, wire);
    }
    if (opened.keeps(answer.status)) return { ...answer, body: watch(answer, opened, request.signal) };
    opened.failed();
    return answer;
  };
}

/** The body of a request and the name of its recording, or the refusal. */
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

/** Sends requests to the target as they are. */
export function sendTo(target: URL): Send {
  return (request, body) => sendOne(target, request, body);
}

async function sendOne(target: URL, request: HttpRequest, body: Uint8Array): ReturnType<Send> {
  const url = below(target, request);
  const { method, signal } = request;
  // The vendor does not need the name of the recording.
  const { [PIN_HEADER]: _, ...headers } = request.headers;
  let answer: Forwarded;
  try {
    answer = await forward({ url, method, headers, body, signal });
  } catch (error) {
    const message = `${target.host} could not be reached: ${thrownText(error)}`;
    return { refusal: { status: 502, code: "target-unreachable", message } };
  }
  // A client that followed it would send its key to another host.
  const isRedirect = answer.status >= 300 && answer.status < 400 && "location" in answer.headers;
  if (!isRedirect) return answer;
  const message = `${target.host} answered with a redirect, which is not followed. Pass its final address as --target`;
  return { refusal: { status: 502, code: "target-redirects", message } };
}

/** Passes on the parts of an answer. Ends the watch with the last part, or when the client is gone. */
function watch(answer: Forwarded, opened: AnswerWatch, signal: AbortSignal): HttpReply["body"] {
  const chunks: Uint8Array[] = [];
  const parts: PassedPart[] = [];
  let size = 0;
  let isOver = false;
  const endTurn = (isCut: boolean): void => {
    if (isOver) return;
    isOver = true;
    const isLeft = isCut && signal.aborted;
    if (isLeft && size === 0) {
      opened.left();
      return;
    }
    const kept = Buffer.concat(chunks);
    const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
    const bytes = size > MAX_RECORDED_BODY_BYTES ? undefined : plain(kept, isCut, headers);
    const encoding = headers["content-encoding"] ?? "identity";
    opened.answered({
      ...{ bytes, isCut, isLeft, headers, status: answer.status },
      isStream: bytes !== undefined && isStream(answer, bytes),
      parts: bytes === kept ? parts : [],
      packed: bytes === kept && size > 0 && encoding !== "identity" ? encoding : undefined,
    });
  };
  const passOn = async function* (): AsyncGenerator<Uint8Array> {
    let isCut = true;
    try {
      for await (const part of answer.body) {
        size += part.length;
        if (size <= MAX_RECORDED_BODY_BYTES) {
          chunks.push(part);
          parts.push({ end: size, at: Date.now() });
        }
        yield part;
      }
      isCut = false;
    } finally {
      endTurn(isCut);
    }
  };
  // The client may be gone before the first part is read.
  signal.addEventListener("abort", () => endTurn(true));
  return passOn();
}

/** Looks at the header and the first bytes, because some gateways stream under another media type. Frames begin with a zero byte. */
function isStream({ headers }: Forwarded, bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 64)).toString("latin1").trimStart();
  return (
    /event-?stream|ndjson/.test(String(headers["content-type"] ?? "")) || /^(?:(data|event|id|retry)?:|\0)/.test(start)
  );
}

/**
 * The unzipped bytes, because some vendors send gzip unrequested. A file that is gzip itself stays as it is, and so does an answer that
 * was cut or is damaged. Undefined beyond the limit.
 */
function plain(bytes: Buffer, isCut: boolean, headers: Readonly<Record<string, string>>): Uint8Array | undefined {
  const isFile = headers["content-encoding"] === undefined && !isTextual(headers["content-type"]);
  if (isCut || isFile || bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_RECORDED_BODY_BYTES });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? undefined : bytes;
  }
}

/** The base URL of `--target`. Throws `usage` for one that would send a key unencrypted or to an unclear place. */
export function parseTarget(text: string): URL {
  const hint = "Give the vendor's base URL, such as https://api.openai.com/v1.";
  const refuse = (what: string): never => {
    throw new CliError("usage", `the target ${what}`, hint);
  };
  if (!URL.canParse(text)) refuse(`${JSON.stringify(text)} is not an absolute URL`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    refuse("contains a user name or password. Clients send their own key");
  if (url.search !== "" || url.hash !== "")
    refuse(`${url.origin}${url.pathname} has a query or fragment. Clients send their own`);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) return url;
  return refuse(`${url.protocol}//${url.host} is not https. Plain http is for this machine only`);
}

/**
 * The client's path below the base. If both have a version, such as `/v1` and `/v1beta`, the client's counts. A client of OpenAI has its
 * version from its base URL, so there the target's counts.
 */
export function below(
  target: URL,
  { method, path, search, headers }: Pick<HttpRequest, "method" | "path" | "search" | "headers">,
): URL {
  const base = target.pathname.replace(/\/+$/, "");
  const vendor = wireOf({ method, path }) ?? ("anthropic-version" in headers ? VENDORS.anthropic : VENDORS.openai);
  const own = vendor.client.path;
  const url = new URL(target);
  if (own !== "" && path.startsWith(`${own}/`) && VERSION.test(base)) url.pathname = base + path.slice(own.length);
  else url.pathname = (VERSION_AT_START.test(path) ? base.replace(VERSION_AT_END, "") : base) + path;
  url.search = search;
  return url;
}

const VERSION = /\/v\d+[a-z\d]*(?:\/|$)/;
const VERSION_AT_START = /^\/v\d+[a-z\d]*\//;
const VERSION_AT_END = /\/v\d+[a-z\d]*$/;
