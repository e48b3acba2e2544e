import { gzipSync } from "node:zlib";
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { LlmProviderHttpError } from "../../../src/core/errors.js";
import { systemPorts, type Ports } from "../../../src/core/ports.js";
import { postJson, type HttpCall } from "../../../src/core/http/json-request.js";
import { anthropicProvider, openaiProvider } from "../../../src/core/vendors/providers.js";
import { agentErrorOf, apiKey, hello, listen } from "../../support/wire.js";

const call: HttpCall = {
  providerName: "openai:gpt-4o",
  url: "https://api.example.com/v1/chat",
  headers: {},
  body: {},
  secret: apiKey,
};
const now = Date.UTC(2026, 10, 20, 12, 0, 0);
const ports: Ports = { ...systemPorts, now: () => now };

describe("limits of a vendor, through msw", () => {
  const server = setupServer();
  beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
  afterEach(() => server.resetHandlers());
  afterAll(() => server.close());

  const forms: [Record<string, string>, number | undefined][] = [
    [{}, undefined],
    [{ "retry-after": "20" }, 20_000],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after": "Fri, 20 Nov 2026 12:00:20 GMT" }, 20_000],
    [{ "retry-after": "Fri, 20 Nov 2026 11:59:20 GMT" }, 0],
    [{ "retry-after-ms": "250" }, 250],
    [{ "retry-after-ms": "250", "retry-after": "20" }, 250],
    [{ "retry-after": "-1" }, undefined],
    [{ "retry-after": "NaN" }, undefined],
    [{ "retry-after": "1e400" }, undefined],
    [{ "retry-after": "9".repeat(30) }, 86_400_000],
  ];
  const vendors = [
    ["openai", "https://api.openai.com/v1/chat/completions", () => openaiProvider({ apiKey, model: "m", ports })],
    ["anthropic", "https://api.anthropic.com/v1/messages", () => anthropicProvider({ apiKey, model: "m", ports })],
  ] as const;

  for (const [vendor, url, build] of vendors) {
    it.each(forms)(`PLK-35 ${vendor} 429 with %j waits %s ms`, async (headers, retryAfterMs) => {
      const body = { error: { type: "rate_limit_error", message: "slow down" } };
      server.use(http.post(url, () => HttpResponse.json(body, { status: 429, headers })));
      const error = (await agentErrorOf(() => build().turn(hello))) as LlmProviderHttpError;
      expect(error).toMatchObject({ status: 429, kind: "rate-limit", retryable: true, retryAfterMs });
      expect(error.vendor).toEqual({ type: "rate_limit_error", message: "slow down" });
    });

    it.each(forms)(`PLK-35 ${vendor} 529 with %j waits %s ms`, async (headers, retryAfterMs) => {
      const body = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
      server.use(http.post(url, () => HttpResponse.json(body, { status: 529, headers })));
      const error = await agentErrorOf(() => build().turn(hello));
      expect(error).toMatchObject({ status: 529, kind: "overloaded", retryable: true, retryAfterMs });
    });
  }

  it("PLK-35 waits for nothing where the same call cannot succeed later", async () => {
    const spent = { error: { code: "insufficient_quota", message: "no credit" } };
    const headers = { "retry-after": "20", "retry-after-ms": "5" };
    server.use(http.post(call.url, () => HttpResponse.json(spent, { status: 429, headers })));
    const final = { kind: "rate-limit", retryable: false, retryAfterMs: undefined };
    expect(await agentErrorOf(() => postJson(call, ports))).toMatchObject(final);
    server.use(
      http.post(
        call.url,
        () => new HttpResponse("", { status: 503, headers: { ...headers, "x-should-retry": "false" } }),
      ),
    );
    expect(await agentErrorOf(() => postJson(call, ports))).toMatchObject({ ...final, kind: "unavailable" });
  });

  it("PLK-34 hints at what the vendor's own words tell beyond the status", async () => {
    const body = { error: { code: "context_length_exceeded", message: "too long" } };
    server.use(http.post(call.url, () => HttpResponse.json(body, { status: 400 })));
    const error = await agentErrorOf(() => postJson(call, ports));
    expect(error).toMatchObject({ kind: "context-length", hint: expect.stringContaining("shorten") as string });
  });
});

describe("an answer that is not what its header says", () => {
  let close: () => Promise<void> = async () => undefined;
  afterEach(() => close());
  const serve = async (status: number, headers: Record<string, string>, body: string | Buffer) => {
    const server = await listen((_request, response) => void response.writeHead(status, headers).end(body));
    close = server.close;
    return { ...call, url: `${server.baseURL}/v1/chat` };
  };
  const gzip = { "content-encoding": "gzip", "content-type": "application/json" };

  it("reads JSON whatever content type it has", async () => {
    expect(await postJson(await serve(200, { "content-type": "text/html" }, '{"a":1}'), ports)).toEqual({ a: 1 });
    await close();
    const local = await serve(404, { "content-type": "text/plain" }, '{"error":{"message":"no"}}');
    const error = (await agentErrorOf(() => postJson(local, ports))) as LlmProviderHttpError;
    expect(error.vendor).toEqual({ message: "no" });
  });

  it("says that text which claims to be gzip broke off", async () => {
    const error = await agentErrorOf(async () => postJson(await serve(200, gzip, '{"a":1}'), ports));
    expect(error).toMatchObject({ code: "provider-response", kind: "unavailable", retryable: true });
  });

  it("keeps the status of a refusal that claims to be gzip", async () => {
    const error = await agentErrorOf(async () => postJson(await serve(503, gzip, "busy"), ports));
    expect(error).toMatchObject({ status: 503, kind: "unavailable", bodySnippet: "" });
  });

  it("reads gzip that is gzip, and refuses gzip that is said to be JSON", async () => {
    expect(await postJson(await serve(200, gzip, gzipSync('{"a":1}')), ports)).toEqual({ a: 1 });
    await close();
    const plain = { "content-type": "application/json" };
    const error = await agentErrorOf(async () => postJson(await serve(200, plain, gzipSync('{"a":1}')), ports));
    expect(error).toMatchObject({ code: "provider-response", kind: "unknown", retryable: false });
    expect(error.message).not.toMatch(/[\u0000-\u001f]/);
  });

  it("refuses a web page, with its beginning", async () => {
    const local = await serve(200, { "content-type": "application/json" }, "<!doctype html><title>Sign in</title>");
    const error = await agentErrorOf(() => postJson(local, ports));
    expect(error).toMatchObject({ code: "provider-response", kind: "unknown" });
    expect(error.message).toContain("<title>Sign in");
  });
});

describe("a refusal whose body does not end", () => {
  /** Ports with timers that fire when the test says so, and a fetch that answers 503 with a body that stalls. */
  function stalling() {
    const timers = new Map<number, () => void>();
    let cancelled = 0;
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("busy")),
      cancel: () => void cancelled++,
    });
    const manual: Ports = {
      ...ports,
      fetch: async () => new Response(body, { status: 503 }),
      timer(ms, fire) {
        timers.set(ms, fire);
        return () => timers.delete(ms);
      },
    };
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    return { manual, timers, settle, cancelled: () => cancelled };
  }

  it("PLK-33 is told with what has come once it has stalled for five seconds", async () => {
    const { manual, timers, settle, cancelled } = stalling();
    const pending = agentErrorOf(() => postJson(call, manual));
    await settle();
    expect([...timers.keys()]).toEqual([5_000]);
    timers.get(5_000)?.();
    expect(await pending).toMatchObject({ status: 503, bodySnippet: "busy", kind: "unavailable" });
    expect(cancelled()).toBe(1);
    expect(timers.size).toBe(0);
  });

  it("PLK-30 is a timeout, and no refusal, where the caller's limit comes first", async () => {
    const { manual, timers, settle } = stalling();
    const pending = agentErrorOf(() => postJson({ ...call, timeoutMs: 100 }, manual));
    await settle();
    timers.get(100)?.();
    expect(await pending).toMatchObject({ code: "timeout", kind: "timeout", retryable: true });
  });

  it("PLK-29 is an abort, and no timeout, where the caller's signal comes first", async () => {
    const { manual, settle } = stalling();
    const controller = new AbortController();
    const pending = agentErrorOf(() => postJson({ ...call, timeoutMs: 100, signal: controller.signal }, manual));
    await settle();
    controller.abort();
    expect(await pending).toMatchObject({ code: "aborted", kind: undefined, retryable: false });
  });
});

describe("what the transport says", () => {
  it.each([
    ["UND_ERR_HEADERS_TIMEOUT", "timeout"],
    ["UND_ERR_CONNECT_TIMEOUT", "timeout"],
    ["ETIMEDOUT", "timeout"],
    ["ECONNRESET", "unavailable"],
    [undefined, "unavailable"],
  ])("REL-81 %s is %s", async (code, kind) => {
    const fetch = async () => {
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("below"), { code }) });
    };
    expect(await agentErrorOf(() => postJson(call, { ...ports, fetch }))).toMatchObject({ kind, retryable: true });
  });
});
