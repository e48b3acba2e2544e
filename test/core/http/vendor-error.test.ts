import { describe, expect, it } from "vitest";
import { AgentError, LlmProviderHttpError } from "../../../src/core/errors.js";
import { systemPorts } from "../../../src/core/ports.js";
import { judgeFault, readFault } from "../../../src/core/http/vendor-error.js";
import { postJson } from "../../../src/core/http/json-request.js";
import { decodeOpenAi } from "../../../src/core/vendors/openai/decode.js";
import { decodeAnthropic } from "../../../src/core/vendors/anthropic/decode.js";
import { quoteForeign } from "../../../src/core/text/mask.js";
import { hasShared, readSharedLines } from "../../support/shared.js";
import { agentErrorOf, apiKey, exchangeFiles, type Exchange } from "../../support/wire.js";

const read = (body: unknown) => readFault(body, (text) => quoteForeign(text, apiKey));
const raw = (upstream: object) => ({
  error: { code: 400, message: "Provider returned error", metadata: { raw: JSON.stringify(upstream) } },
});

describe("readFault", () => {
  it.each([
    [
      "OpenAI",
      { error: { message: "no such model", type: "invalid_request_error", param: null, code: "model_not_found" } },
      { code: "model_not_found", type: "invalid_request_error", message: "no such model" },
    ],
    [
      "Anthropic",
      { type: "error", error: { type: "not_found_error", message: "model: x" }, request_id: "r" },
      { type: "not_found_error", message: "model: x" },
    ],
    ["Ollama", { error: "model not found" }, { message: "model not found" }],
    [
      "xAI",
      { code: "Client specified an invalid argument", error: "bad" },
      { code: "Client specified an invalid argument", message: "bad" },
    ],
    [
      "Mistral",
      { object: "error", message: "Invalid model: x", type: "invalid_model", param: null, code: "1500" },
      { code: "1500", type: "invalid_model", message: "Invalid model: x" },
    ],
    ["Mistral's gateway", { detail: "Invalid API Key" }, { message: "Invalid API Key" }],
    ["FastAPI", { detail: [{ msg: "field required", type: "missing" }] }, { message: "field required" }],
    ["Azure", { error: { code: "401", message: "Access denied" } }, { code: "401", message: "Access denied" }],
    [
      "llama.cpp",
      { error: { code: 401, message: "Invalid API Key", type: "authentication_error" } },
      { code: "401", type: "authentication_error", message: "Invalid API Key" },
    ],
    [
      "doubleword",
      { code: 400, message: "too hot", type: "Bad Request" },
      { code: "400", type: "Bad Request", message: "too hot" },
    ],
    [
      "Google in a list",
      [{ error: { code: 429, message: "slow", status: "RESOURCE_EXHAUSTED" } }],
      { code: "429", type: "RESOURCE_EXHAUSTED", message: "slow" },
    ],
    [
      "Cloudflare",
      { errors: [{ message: "AiError", code: 3043 }], success: false },
      { code: "3043", message: "AiError" },
    ],
    [
      "OpenRouter",
      raw({ error: { message: "too short" } }),
      { code: "400", message: "Provider returned error: too short" },
    ],
    [
      "OpenRouter around plain text",
      { error: { message: "no", metadata: { raw: "limited upstream" } } },
      { message: "no: limited upstream" },
    ],
  ])("reads the error of %s", (_vendor, body, fault) => {
    expect(read(body)).toEqual(fault);
    expect(read(JSON.stringify(body))).toEqual(fault);
  });

  it.each([
    [""],
    ["<html>"],
    [null],
    [5],
    ["[]"],
    [{}],
    [{ error: null }],
    [{ error: { message: {}, code: [] } }],
    [[[[{ error: "x" }]]]],
  ])("reads nothing from %o", (body) => expect(read(body)).toEqual({}));

  it("masks keys and keeps 500 characters of each word", () => {
    const fault = read({ error: { message: `bad ${apiKey} ${"x".repeat(9_000)}`, code: apiKey } });
    expect(fault.code).toBe("***");
    expect(fault.message).toBe(`bad *** ${"x".repeat(492)}`);
  });

  it("follows errors in errors three deep and quotes the rest as it came", () => {
    const innermost = { error: { message: "the innermost" } };
    const words = "Provider returned error: ".repeat(3);
    expect(read(raw(raw(raw(innermost)))).message).toBe(words + JSON.stringify(innermost));
  });
});

describe("judgeFault", () => {
  it.each([
    [401, { type: "api_error", message: "Unauthorized" }, "auth", false],
    [403, { type: "invalid_request_error", code: "forbidden" }, "permission", false],
    [402, {}, "permission", false],
    [404, { code: "model_not_found" }, "not-found", false],
    [400, { type: "invalid_model" }, "not-found", false],
    [400, { code: "context_length_exceeded" }, "context-length", false],
    [400, { type: "exceed_context_size_error" }, "context-length", false],
    [
      400,
      { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" },
      "context-length",
      false,
    ],
    [400, { message: "This model's maximum context length is 8 tokens" }, "context-length", false],
    [500, { message: "request exceeds the available context size" }, "context-length", false],
    [400, { code: "content_filter" }, "content-filter", false],
    [400, { message: "Your credit balance is too low" }, "permission", false],
    [400, { message: "Incorrect API key provided: ***" }, "auth", false],
    [400, { code: "tool_use_failed", type: "invalid_request_error" }, "bad-request", false],
    [429, {}, "rate-limit", true],
    [429, { code: "insufficient_quota" }, "rate-limit", false],
    [429, { type: "overloaded_error" }, "overloaded", true],
    [529, {}, "overloaded", true],
    [500, { type: "api_error" }, "unavailable", true],
    [408, {}, "timeout", true],
    [504, {}, "timeout", true],
    [409, {}, "unavailable", true],
    [413, { type: "request_too_large" }, "context-length", false],
    [302, {}, "unknown", false],
    [undefined, { code: "502" }, "unavailable", true],
    [undefined, { code: "429" }, "rate-limit", true],
    [undefined, { code: "400", message: "Token limit reached" }, "bad-request", false],
    [undefined, { type: "overloaded_error" }, "overloaded", true],
    [undefined, { type: "rate_limit_error" }, "rate-limit", true],
    [undefined, { type: "api_error" }, "unavailable", true],
    [undefined, { type: "timeout_error" }, "timeout", true],
    [undefined, { type: "invalid_request_error" }, "bad-request", false],
    [undefined, { message: "prompt is too long" }, "context-length", false],
    [undefined, { message: "hm" }, "unknown", false],
    [undefined, {}, "unknown", false],
  ])("REL-81 %s with %j is %s, retryable %s", (status, fault, kind, retryable) => {
    expect(judgeFault(fault, status)).toEqual({ kind, retryable });
  });
});

describe("an error under status 200", () => {
  it("REL-81 has kind and retryable like one with a status", async () => {
    const openai = await agentErrorOf(() => decodeOpenAi({ error: { code: 502, message: "down" } }));
    expect(openai).toMatchObject({ code: "provider-response", kind: "unavailable", retryable: true });
    const anthropic = await agentErrorOf(() =>
      decodeAnthropic({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    );
    expect(anthropic).toMatchObject({ code: "provider-response", kind: "overloaded", retryable: true });
    expect(anthropic.message).toContain("overloaded_error: Overloaded");
  });
});

describe.skipIf(!hasShared)("every recorded refusal", () => {
  const refusals = () =>
    exchangeFiles
      .flatMap((file) => readSharedLines<Exchange>(`data/http/${file}.jsonl.gz`))
      .filter(({ response }) => response.status >= 400);
  const replay = async ({ request, response }: Exchange) => {
    const headers = new Headers();
    for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
    const fetch = async () => new Response(response.body, { status: response.status, headers });
    const call = { providerName: "vendor", url: request.url, headers: {}, body: {}, secret: apiKey };
    const now = () => 1_754_667_630_000;
    return (await agentErrorOf(() => postJson(call, { ...systemPorts, fetch, now }))) as LlmProviderHttpError;
  };

  it("PLK-32 becomes a typed error with the vendor's own message and a kind", async () => {
    const kinds: Record<string, number> = {};
    for (const exchange of refusals()) {
      const error = await replay(exchange);
      expect(error, exchange.id).toBeInstanceOf(LlmProviderHttpError);
      expect(error.vendor.message, exchange.id).toBeTypeOf("string");
      expect(error.bodySnippet.length).toBeLessThanOrEqual(500);
      expect(error.retryable, exchange.id).toBe(exchange.response.status === 429);
      const key = `${exchange.response.status} ${error.kind}`;
      kinds[key] = (kinds[key] ?? 0) + 1;
    }
    expect(kinds).toEqual({
      "400 auth": 2,
      "400 bad-request": 59,
      "400 context-length": 5,
      "400 not-found": 14,
      "401 auth": 23,
      "403 auth": 2,
      "403 permission": 3,
      "404 not-found": 42,
      "429 rate-limit": 5,
    });
  });

  it("PLK-35 waits until the moment that OpenRouter names", async () => {
    const waits = await Promise.all(
      refusals()
        .filter(({ response }) => response.headers["x-ratelimit-reset"] === "1754667660000")
        .map(async (exchange) => (await replay(exchange)).retryAfterMs),
    );
    expect(waits).toEqual([30_000]);
  });
});

it("an AgentError of no provider has no kind", () => {
  expect(new AgentError("not-json", "x").kind).toBeUndefined();
});
