// One JSON request to a vendor and its JSON answer. No error of it holds an object of the transport or unmasked text of the vendor.

import { defined } from "../defined.js";
import { findTooDeep } from "../canon/bounded-json.js";
import type { JsonObject } from "../canon/value.js";
import { AgentError, LlmProviderHttpError } from "../errors.js";
import { DEFAULT_MAX_RESPONSE_BYTES, MAX_ERROR_BODY_BYTES, MAX_ERROR_BODY_WAIT_MS, MAX_JSON_DEPTH } from "../limits.js";
import type { Ports } from "../ports.js";
import { readField, toSafeCause, type SafeCause } from "./cause.js";
import { startDeadline, type Deadline } from "./deadline.js";
import { judgeFault, readFault } from "./vendor-error.js";
import { dropCutSecret, quoteForeign } from "../text/mask.js";
import { hintForStatus, readRetryAfter } from "./status.js";
import { refuseDropped } from "./json-readers.js";

export interface HttpCall {
  providerName: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: JsonObject;
  /** Masked wherever an error quotes the vendor. */
  secret?: string;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** The largest answer that is read. Default 32 MiB. */
  maxBodyBytes?: number;
}

/** Sends `call.body` and resolves to the parsed answer. Rejects only with {@link AgentError}. */
export async function postJson(call: HttpCall, ports: Ports): Promise<unknown> {
  const deadline = startDeadline(call, ports);
  try {
    return await Promise.race([exchange(call, ports, deadline), deadline.reached]);
  } finally {
    deadline.clear();
  }
}

async function exchange(call: HttpCall, ports: Ports, deadline: Deadline): Promise<unknown> {
  const response = await openAnswer(call, ports, deadline);
  const limit = call.maxBodyBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
  const body = await readCapped(response, limit + 1, deadline);
  if (body.failure !== undefined) throw brokenOff(call, body.failure);
  if (body.bytes > limit) throw tooLarge(`the answer of ${call.providerName}`, limit);
  return parseAnswer(call, body.text);
}

export function tooLarge(what: string, limit: number): AgentError {
  return new AgentError("provider-response", `${what} is larger than ${limit} bytes`, {
    kind: "unknown",
    hint: "Raise maxBodyBytes if you expect an answer of that size.",
  });
}

/** Sends `call.body` and resolves when the answer begins. Rejects for a status other than 2xx. */
export async function openAnswer(call: HttpCall, ports: Ports, deadline: Deadline): Promise<Response> {
  const response = await send(call, ports, deadline);
  assertReadable(call, response);
  if (!response.ok) throw await toHttpError(call, ports, response, deadline);
  return response;
}

/** A caller's own fetch may return anything: nothing, the Response of another library, or one that was read before. */
function assertReadable(call: HttpCall, response: unknown): asserts response is Response {
  let isReadable: boolean;
  try {
    const { status, ok, headers, body } = response as Partial<Response>;
    isReadable =
      typeof status === "number" &&
      typeof ok === "boolean" &&
      typeof headers?.get === "function" &&
      (body === null || (typeof body?.getReader === "function" && !body.locked));
  } catch {
    isReadable = false;
  }
  if (isReadable) return;
  throw new AgentError("provider-response", `fetch returned no readable response to ${call.providerName}`, {
    kind: "unknown",
    hint: "A fetch of your own must resolve to a standard Response with an unread, unlocked body. Pass on a clone.",
  });
}

/** After the deadline, the rejection here comes second and is never seen. */
async function send(call: HttpCall, ports: Ports, deadline: Deadline): Promise<Response> {
  const { fetch } = ports;
  try {
    return await fetch(call.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", ...call.headers },
      body: JSON.stringify(call.body),
      signal: deadline.signal,
      // Following a redirect would send the key to a host that nobody configured.
      redirect: "error",
    });
  } catch (cause) {
    throw unreachable(call, "could not be reached", cause);
  }
}

async function toHttpError(call: HttpCall, ports: Ports, response: Response, deadline: Deadline): Promise<AgentError> {
  const { status, headers } = response;
  const patience = new AbortController();
  const stopTimer = ports.timer(MAX_ERROR_BODY_WAIT_MS, () => patience.abort());
  const body = await readCapped(response, MAX_ERROR_BODY_BYTES, deadline, patience.signal).finally(stopTimer);
  const isCut = body.bytes >= MAX_ERROR_BODY_BYTES || body.failure !== undefined || patience.signal.aborted;
  const text = isCut ? dropCutSecret(body.text, call.secret) : body.text;
  const quote = (foreign: string) => quoteForeign(foreign, call.secret);
  const vendor = readFault(text, quote);
  const { kind, retryable: isPassing } = judgeFault(vendor, status);
  const retryable = isPassing && headers.get("x-should-retry") !== "false";
  const retryAfterMs = retryable ? readRetryAfter(headers, status, ports.now()) : undefined;
  return new LlmProviderHttpError({
    status,
    bodySnippet: quote(text),
    providerName: call.providerName,
    hint: hintForStatus(status, kind),
    retryable,
    kind,
    vendor,
    ...defined({ retryAfterMs }),
  });
}

interface CappedBody {
  /** The number of bytes read. It equals the limit if there may be more. */
  bytes: number;
  text: string;
  failure?: unknown;
}

/** The first `limit` bytes of a body as text, or those that came before `patience` ended. Throws only at the deadline. */
async function readCapped(
  response: Response,
  limit: number,
  deadline: Deadline,
  patience?: AbortSignal,
): Promise<CappedBody> {
  const result: CappedBody = { bytes: 0, text: "" };
  if (response.body === null) return result;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  // A body that ended or broke has nothing left to cancel, and its rejection does not matter.
  const cancel = () => void reader.cancel().catch(() => undefined);
  deadline.signal.addEventListener("abort", cancel, { once: true });
  patience?.addEventListener("abort", cancel, { once: true });
  try {
    while (result.bytes < limit && deadline.reason() === undefined) {
      const { value } = (await reader.read()) as { value?: Uint8Array };
      if (value === undefined) break;
      const part = value.subarray(0, limit - result.bytes);
      result.bytes += part.byteLength;
      result.text += decoder.decode(part, { stream: true });
    }
  } catch (failure) {
    result.failure = failure;
  }
  result.text += decoder.decode();
  cancel();
  const reason = deadline.reason();
  if (reason !== undefined) throw reason;
  return result;
}

function parseAnswer(call: HttpCall, text: string): unknown {
  if (findTooDeep(text, MAX_JSON_DEPTH) !== undefined) {
    const what = `the answer of ${call.providerName} is nested deeper than ${MAX_JSON_DEPTH} levels`;
    throw new AgentError("provider-response", what, {
      kind: "unknown",
      hint: "Verify that baseURL is the vendor's API. Vendors do not nest answers this deeply.",
    });
  }
  let json: unknown;
  try {
    json = JSON.parse(text) as unknown;
  } catch (error) {
    const said = text.trim() === "" ? "nothing" : quoteForeign(text, call.secret);
    throw new AgentError("provider-response", `the answer of ${call.providerName} is not JSON: ${said}`, {
      kind: "unknown",
      hint: "Verify that baseURL is the vendor's API and not a web page or a proxy.",
      cause: toSafeCause(error, (words) => quoteForeign(words, call.secret)),
    });
  }
  const { providerName, secret } = call;
  refuseDropped(text, { providerName, quote: (words) => quoteForeign(words, secret), note: () => undefined });
  return json;
}

/** The error of an answer that began and did not end. */
export function brokenOff(call: HttpCall, thrown: unknown): AgentError {
  const { code, message, kind, cause } = unreachable(call, "broke off its answer", thrown);
  return new AgentError(code, message, { ...defined({ kind }), hint: "Retry.", retryable: true, cause });
}

function unreachable(call: HttpCall, what: string, thrown: unknown): AgentError {
  const { host } = new URL(call.url);
  const cause = toSafeCause(thrown, (words) => quoteForeign(words, call.secret));
  const said = `${call.providerName} ${what} (${host}): ${cause.message}`;
  if (isRedirect(cause)) {
    const hint = "Set baseURL to the final URL: a redirect is refused, since it would receive the key.";
    return new AgentError("provider-response", said, { hint, kind: "unknown", cause });
  }
  return new AgentError("provider-response", said, {
    hint: "Verify baseURL and the network, and retry. A redirect is refused, so use the final URL.",
    kind: isTimeout(thrown) ? "timeout" : "unavailable",
    retryable: true,
    cause,
  });
}

/** The standard has no name for a refused redirect, so the words of common fetch implementations tell. */
function isRedirect({ code = "", message }: SafeCause): boolean {
  return /unexpected ?redirect|redirect mode/i.test(`${code} ${message}`);
}

/** undici and the sockets below it have time limits of their own. */
function isTimeout(thrown: unknown): boolean {
  return [thrown, readField(thrown, "cause")].some((error) => {
    const code = readField(error, "code");
    return typeof code === "string" && /TIMEOUT|TIMEDOUT/.test(code);
  });
}
