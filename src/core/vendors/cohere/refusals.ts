// Refusals in the shape of Cohere's API: ours, and those that its references and recorded answers show.

import { defined } from "../../defined.js";
import type { JsonObject } from "../../canon/value.js";
import { jsonFault, type HttpFault, type WireFailure } from "../../wire/failure.js";
import { toSse } from "../../wire/pieces.js";
import type { Vendor } from "../vendor.js";

export function failCohere({ code, message, miss }: WireFailure): JsonObject {
  return { message, error_type: code, ...defined({ miss }) };
}

function cohere(status: number, message: string, extra: JsonObject = {}): HttpFault {
  return jsonFault(status, { id: "00000000-0000-4000-8000-000000000000", message, ...extra });
}

export const cohereFaults: Vendor["faults"] = {
  "rate-limit": cohere(429, "You are past the per minute request limit, please wait and try again later."),
  quota: cohere(
    402,
    "Please add or update your payment method at https://dashboard.cohere.com/billing?tab=payment to continue",
  ),
  "server-error": cohere(500, "internal server error, this has been reported to our developers"),
  "context-length": cohere(
    400,
    "too many tokens: size limit exceeded by 25836 tokens. Try using shorter or fewer inputs. " +
      "The limit for this model is 288000 tokens.",
    { error_type: "TOO_MANY_TOKENS" },
  ),
  auth: cohere(
    401,
    "Incorrect API key provided: none. You can find your API key at https://dashboard.cohere.com/api-keys.",
  ),
  "not-found": cohere(
    404,
    "model 'none' not found, make sure the correct model ID was used and that you have access to the model.",
  ),
};

export const cohereStreamError = toSse(
  {
    type: "message-end",
    delta: {
      finish_reason: "ERROR",
      usage: {},
      error: "your request resulted in an invalid tool generation. Try updating the messages or tool definitions",
      error_type: "INVALID_TOOL_GENERATION",
    },
  },
  "message-end",
);
