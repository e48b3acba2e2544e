// What an HTTP status of a vendor means for the caller: what to do, whether to try again, and when (RFC 9110 §10.2.3, §15).

/** What to do about `status`, as one line. */
export function hintForStatus(status: number): string {
  if (status < 400) return "unexpected redirect or status – set baseURL to the final address of the vendor's API";
  const hint = HINTS[status];
  if (hint !== undefined) return hint;
  return status >= 500
    ? "vendor failure – retry, and look at the vendor's status page if it lasts"
    : "request refused – read bodySnippet for what the vendor did not take";
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

/** True when the very same call may succeed later. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
}

/** Milliseconds to wait by a `Retry-After` header: seconds or an HTTP date. Undefined when it says neither. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  const value = header?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return toWait(Math.ceil(Number(value) * 1000));
  // Date.parse alone would take "-5" or "3 days" for a date.
  if (/^[a-z]{3,9}, .+ GMT$/i.test(value)) return toWait(Date.parse(value) - nowMs);
  return undefined;
}

function toWait(ms: number): number | undefined {
  return Number.isSafeInteger(ms) ? Math.max(0, ms) : undefined;
}
