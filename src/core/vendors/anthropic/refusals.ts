// Refusals in the shape of Anthropic's messages: ours, and those that its references and recorded answers show.

import { defined } from "../../defined.js";
import type { JsonObject } from "../../canon/value.js";
import { jsonFault, type HttpFault, type WireFailure } from "../../wire/failure.js";
import { THREAD_NOT_FOUND } from "../../wire/held-state.js";
import { toSse } from "../../wire/pieces.js";
import type { Vendor } from "../vendor.js";

/** The code for a lost thread makes clients send the whole conversation. They print the body as JSON unless it has a `message` itself. */
export function failAnthropic({ status, code, message, miss }: WireFailure): JsonObject {
  const type = TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  const details = code === THREAD_NOT_FOUND ? { details: { error_code: code } } : {};
  const error = { type, message, ...details };
  return { type: "error", error, message, ...defined({ miss }) };
}

const TYPES: Readonly<Record<number, string>> = {
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
};

function anthropic(
  status: number,
  type: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): HttpFault {
  const body = { type: "error", error: { type, message }, request_id: "req_011CFaultyFaultyFaulty00" };
  return jsonFault(status, body, headers);
}

export const anthropicFaults: Vendor["faults"] = {
  "rate-limit": anthropic(
    429,
    "rate_limit_error",
    "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
    { "retry-after": "7", "x-should-retry": "true" },
  ),
  "server-error": anthropic(500, "api_error", "Internal server error"),
  overloaded: anthropic(529, "overloaded_error", "Overloaded", { "x-should-retry": "true" }),
  "context-length": anthropic(400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
  quota: anthropic(
    400,
    "invalid_request_error",
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  ),
  auth: anthropic(401, "authentication_error", "invalid x-api-key", { "x-should-retry": "false" }),
  "not-found": anthropic(404, "not_found_error", "model: none", { "x-should-retry": "false" }),
};

export const anthropicStreamError = toSse(
  { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  "error",
);
