// Refusals in the shape of OpenAI's chat completions: ours, and those that its references and recorded answers show.

import { defined } from "../../defined.js";
import type { JsonObject } from "../../canon/value.js";
import { jsonFault, type HttpFault, type WireFailure } from "../../wire/failure.js";
import { toSse } from "../../wire/pieces.js";
import type { Vendor } from "../vendor.js";

/** The error code for an earlier answer that the server does not have. */
export const PREVIOUS_NOT_FOUND = "previous_response_not_found";

/** OpenAI's clients show the fields of `error` and nothing outside of it, so the miss is in there, too. */
export function failOpenAi({ status, code, message, miss }: WireFailure): JsonObject {
  const extra = defined({ miss });
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  const param = code === PREVIOUS_NOT_FOUND ? "previous_response_id" : null;
  return { error: { message, type, param, code, ...extra }, ...extra };
}

function openAi(status: number, error: JsonObject, headers?: Readonly<Record<string, string>>): HttpFault {
  return jsonFault(status, { error }, headers, 4);
}

const SERVER_ERROR = {
  message: "The server had an error while processing your request. Sorry about that!",
  type: "server_error",
  param: null,
  code: null,
};

export const openAiFaults: Vendor["faults"] = {
  "rate-limit": openAi(
    429,
    {
      message:
        "Rate limit reached for gpt-4o in organization org-none on tokens per min (TPM): Limit 30000, Used 29410, " +
        "Requested 1580. Please try again in 1.98s. Visit https://platform.openai.com/account/rate-limits to learn more.",
      type: "tokens",
      param: null,
      code: "rate_limit_exceeded",
    },
    { "retry-after-ms": "1980", "retry-after": "2", "x-ratelimit-remaining-tokens": "590" },
  ),
  quota: openAi(429, {
    message:
      "You exceeded your current quota, please check your plan and billing details. For more information on this error, " +
      "read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
    type: "insufficient_quota",
    param: null,
    code: "insufficient_quota",
  }),
  "server-error": openAi(500, SERVER_ERROR),
  overloaded: openAi(503, {
    message: "The engine is currently overloaded, please try again later.",
    type: "server_error",
    param: null,
    code: null,
  }),
  "context-length": openAi(400, {
    message:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130021 tokens. " +
      "Please reduce the length of the messages.",
    type: "invalid_request_error",
    param: "messages",
    code: "context_length_exceeded",
  }),
  auth: openAi(401, {
    message:
      "Incorrect API key provided: none. You can find your API key at https://platform.openai.com/account/api-keys.",
    type: "invalid_request_error",
    param: null,
    code: "invalid_api_key",
  }),
  "not-found": openAi(404, {
    message: "The model `none` does not exist or you do not have access to it.",
    type: "invalid_request_error",
    param: null,
    code: "model_not_found",
  }),
};

export const openAiStreamError = toSse({ error: SERVER_ERROR });
