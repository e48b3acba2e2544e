// What vendors' servers send when they refuse: status, headers and body, in the shapes of OpenAI's chat completions, Anthropic's
// messages and Ollama's chat as their references and recorded answers have them. Ids and counts are made up.

import type { JsonObject, WireName } from "../../core/index.js";

/** A refusal that vendors' servers send, by what it means. */
export type HttpFaultName =
  /** Too many requests or tokens for now. */
  | "rate-limit"
  /** An account without credit: waiting does not help. */
  | "quota"
  | "server-error"
  | "overloaded"
  /** The conversation is too long for the model. */
  | "context-length"
  | "auth"
  | "not-found"
  /** A gateway before the vendor, with a page instead of JSON. */
  | "bad-gateway";

/** One refusal. */
export interface HttpFault {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const JSON_TYPE = { "content-type": "application/json" };
const PAGE_TYPE = { "content-type": "text/html" };

/** A page as a proxy sends it. */
export const GATEWAY_PAGE =
  "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n" +
  "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n";

const badGateway: HttpFault = { status: 502, headers: PAGE_TYPE, body: GATEWAY_PAGE };

function openAi(status: number, error: JsonObject, headers: Readonly<Record<string, string>> = {}): HttpFault {
  return { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify({ error }, null, 4) };
}

function anthropic(status: number, type: string, message: string, headers: Record<string, string> = {}): HttpFault {
  const body = { type: "error", error: { type, message }, request_id: "req_011CFaultyFaultyFaulty00" };
  return { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) };
}

function ollama(status: number, error: string): HttpFault {
  return { status, headers: JSON_TYPE, body: JSON.stringify({ error }) };
}

/** Every refusal by wire and name. A wire has those names alone that its vendor has an answer for. */
export const HTTP_FAULTS: Readonly<Record<WireName, Readonly<Partial<Record<HttpFaultName, HttpFault>>>>> = {
  openai: {
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
    "server-error": openAi(500, {
      message: "The server had an error while processing your request. Sorry about that!",
      type: "server_error",
      param: null,
      code: null,
    }),
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
    "bad-gateway": badGateway,
  },
  anthropic: {
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
    "bad-gateway": badGateway,
  },
  ollama: {
    "server-error": ollama(500, "llama runner process has terminated: exit status 2"),
    overloaded: ollama(503, "server busy, please try again.  maximum pending requests exceeded"),
    "not-found": ollama(404, `model "none" not found, try pulling it first`),
    "bad-gateway": badGateway,
  },
};

/** What a vendor sends in a stream that it cannot go on with, after status 200 and the first pieces. */
export const STREAM_ERRORS: Readonly<Record<WireName, string>> = {
  openai: `data: ${JSON.stringify({ error: { message: "The server had an error while processing your request. Sorry about that!", type: "server_error", param: null, code: null } })}\n\n`,
  anthropic: `event: error\ndata: ${JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })}\n\n`,
  ollama: `${JSON.stringify({ error: "an error was encountered while running the model: unexpected EOF" })}\n`,
};

/** The refusal of that name, or undefined where this wire has none. */
export function httpFault(wire: WireName, name: HttpFaultName): HttpFault | undefined {
  const known = HTTP_FAULTS[wire];
  return Object.hasOwn(known, name) ? known[name] : undefined;
}
