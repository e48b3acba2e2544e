// Refusals in the shape of Google's APIs: ours, and those that its references and recorded answers show.

import { defined } from "../../defined.js";
import type { JsonObject } from "../../canon/value.js";
import { jsonFault, type HttpFault, type WireFailure } from "../../wire/failure.js";
import { toSse } from "../../wire/pieces.js";
import type { Vendor } from "../vendor.js";

/** Google's clients show the message, and look for the code in `status`. */
export function failGemini({ status, code, message, miss }: WireFailure): JsonObject {
  const extra = defined({ miss });
  return { error: { code: status, message, status: code, ...extra }, ...extra };
}

function google(code: number, status: string, message: string): HttpFault {
  return jsonFault(code, { error: { code, message, status } }, {}, 2);
}

const INTERNAL = {
  code: 500,
  message: "An internal error has occurred. Please retry.",
  status: "INTERNAL",
};

export const geminiFaults: Vendor["faults"] = {
  "rate-limit": google(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
  "server-error": jsonFault(500, { error: INTERNAL }, {}, 2),
  overloaded: google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
  "context-length": google(
    400,
    "INVALID_ARGUMENT",
    "The input token count (1048999) exceeds the maximum number of tokens allowed (1048576).",
  ),
  auth: google(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
  "not-found": google(404, "NOT_FOUND", "models/none is not found for API version v1beta."),
};

export const geminiStreamError = toSse({ error: INTERNAL });
