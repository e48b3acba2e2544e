// The meaning of a vendor's HTTP status: the kind of failure, a hint, and whether and when to try again (RFC 9110 §10.2.3, §15).

import type { LlmErrorKind } from "../errors.js";
import { MAX_RETRY_AFTER_MS } from "../limits.js";

export function kindForStatus(status: number): LlmErrorKind {
  const kind = KINDS[status];
  if (kind !== undefined) return kind;
  if (status >= 500) return "unavailable";
  return status >= 400 ? "bad-request" : "unknown";
}

const KINDS: Readonly<Record<number, LlmErrorKind>> = {
  401: "auth",
  402: "permission",
  403: "permission",
  404: "not-found",
  408: "timeout",
  409: "unavailable",
  410: "not-found",
  413: "context-length",
  425: "unavailable",
  429: "rate-limit",
  451: "content-filter",
  504: "timeout",
  524: "timeout",
  529: "overloaded",
};

/** What to do about `status`, as one line. `kind` is given if the vendor's words say more than the status. */
export function hintForStatus(status: number, kind: LlmErrorKind = kindForStatus(status)): string {
  const hint = (kind === kindForStatus(status) ? undefined : KIND_HINTS[kind]) ?? HINTS[status];
  if (hint !== undefined) return hint;
  if (status < 400) return "unexpected redirect or status – set baseURL to the final address of the vendor's API";
  return status >= 500
    ? "vendor failure – retry, and look at the vendor's status page if it lasts"
    : "request refused – read bodySnippet for the vendor's reason";
}

const AUTH = "auth rejected – verify apiKey is set + valid for this baseURL";
const SHAPE = "request refused – read bodySnippet; often a setting or tool schema that this model does not take";
const HINTS: Readonly<Record<number, string>> = {
  400: SHAPE,
  401: AUTH,
  402: "payment required – check the credit of the account behind apiKey",
  403: AUTH,
  404: "not found – verify the model name, and that baseURL is the one the vendor documents",
  408: "the vendor waited too long for the request – retry",
  413: "request too large – shorten the conversation, tool results or images",
  422: SHAPE,
  429: "rate-limited – back off and retry",
  529: "vendor overloaded – back off and retry",
};

const KIND_HINTS: Partial<Readonly<Record<LlmErrorKind, string>>> = {
  auth: AUTH,
  permission: "not allowed – check what the account behind apiKey may use, and its credit",
  "not-found": "not found – verify the model name, and that baseURL is the one the vendor documents",
  "context-length": "conversation too long for the model – shorten it or its tool results, or take a larger model",
  "content-filter": "stopped by the vendor's content filter – change the conversation",
  overloaded: "vendor overloaded – back off and retry",
};

/** For adapters: whether the same call may succeed later, by the HTTP status of its answer. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
}

/**
 * Milliseconds to wait by the headers of an answer: `retry-after-ms`, else `Retry-After`, else, for a 429, the time in OpenRouter's
 * `x-ratelimit-reset`. Vendors' other reset headers may count another window than the exceeded one, so they are not read.
 */
export function readRetryAfter(headers: Headers, status: number, nowMs: number): number | undefined {
  return (
    toWait(readNumber(headers.get("retry-after-ms"))) ??
    parseRetryAfter(headers.get("retry-after"), nowMs) ??
    (status === 429 ? untilReset(headers.get("x-ratelimit-reset"), nowMs) : undefined)
  );
}

/** Milliseconds to wait by a `Retry-After` header: seconds or an HTTP date. Undefined for anything else. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  const value = header?.trim() ?? "";
  const seconds = readNumber(value);
  if (seconds !== undefined) return toWait(seconds * 1000);
  // Date.parse alone would read "-5" or "3 days" as a date.
  if (/^[a-z]{3,9}, .+ GMT$/i.test(value)) return toWait(Date.parse(value) - nowMs);
  // The asctime form has no zone and means UTC.
  if (/^[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/i.test(value))
    return toWait(Date.parse(`${value} GMT`) - nowMs);
  return undefined;
}

/** Milliseconds until a time since the epoch. A smaller number counts something else. */
function untilReset(header: string | null, nowMs: number): number | undefined {
  const moment = readNumber(header);
  return moment !== undefined && moment >= 1e12 ? toWait(moment - nowMs) : undefined;
}

function readNumber(value: string | null): number | undefined {
  const text = value?.trim() ?? "";
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function toWait(ms: number | undefined): number | undefined {
  if (ms === undefined || Number.isNaN(ms)) return undefined;
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(ms)));
}
