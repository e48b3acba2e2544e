// An injected error is the one that a real server causes: for each fault a server on this machine does the very same, and our own
// vendors' providers are asked as well as the faulty one.

import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentError, LlmProviderHttpError } from "../../../src/core/errors.js";
import type { LlmProviderAdapter, LlmTurnRequest } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import type { Vendor } from "../../../src/core/vendors/vendor.js";
import type { WireName } from "../../../src/core/vendors/table.js";
import { vendorProvider, VENDORS } from "../../../src/core/vendors/vendors.js";
import type { HttpFaultName } from "../../../src/core/wire/failure.js";
import { GATEWAY_PAGE, HTTP_FAULTS } from "../../../src/harness/faults/bodies.js";
import type { Fault } from "../../../src/harness/faults/fault.js";
import { faultyProvider } from "../../../src/harness/faults/provider.js";
import { say } from "../../support/script.js";
import { apiKey, bodyBytes, listen } from "../../support/wire.js";

type Answer = (response: ServerResponse, isStream: boolean) => void;
let answer: Answer = (response) => void response.destroy();
let server: Awaited<ReturnType<typeof listen>>;

beforeAll(async () => {
  server = await listen((request, response) => void readBody(request).then((body) => answer(response, body)));
});
afterAll(() => server.close());

async function readBody(request: IncomingMessage): Promise<boolean> {
  let text = "";
  for await (const part of request) text += String(part);
  // Gemini and Bedrock name a stream in the path.
  return (JSON.parse(text) as { stream?: boolean }).stream === true || /[:-]stream/.test(request.url ?? "");
}

const NAME = "vendor:m-1";
const quiet = { warn: () => undefined };

/** A provider of ours, at this address. */
function vendor(wire: WireName, baseURL: string): LlmProviderAdapter {
  const common = { name: NAME, model: "m-1", baseURL, ports: quiet };
  const spoken: Vendor = VENDORS[wire];
  return vendorProvider(spoken, { ...common, ...(spoken.keyVariable === undefined ? {} : { apiKey }) });
}

const inner: LlmProviderAdapter = {
  name: NAME,
  turn: (request) => scriptedProvider([say("hello")]).turn(request),
  async *stream(request) {
    yield { type: "response", response: await inner.turn(request) };
  },
};

function faulty(wire: WireName, fault: Fault): LlmProviderAdapter {
  return faultyProvider(inner, { wire, schedule: [{ call: 0, fault }] });
}

const request: LlmTurnRequest = { messages: [{ role: "user", content: "go" }] };

type Way = "turn" | "stream";
const WAYS: readonly Way[] = ["turn", "stream"];

async function errorOf(provider: LlmProviderAdapter, way: Way, asked: LlmTurnRequest = request): Promise<AgentError> {
  try {
    if (way === "turn") await provider.turn(asked);
    else for await (const _ of provider.stream?.(asked) ?? []);
  } catch (error) {
    expect(error).toBeInstanceOf(AgentError);
    return error as AgentError;
  }
  throw new Error("it answered");
}

/** All of an error that a caller can decide by. */
function told(error: AgentError) {
  const { name, code, kind, retryable, responseStarted, hint } = error;
  const common = { name, code, kind, retryable, responseStarted, hint };
  if (!(error instanceof LlmProviderHttpError)) return common;
  const { status, bodySnippet, providerName, retryAfterMs, vendor: said, message } = error;
  return { ...common, message, status, bodySnippet, providerName, retryAfterMs, vendor: said };
}

const wires = Object.keys(VENDORS) as WireName[];
const refusals = wires.flatMap((wire) =>
  Object.keys(HTTP_FAULTS[wire]).flatMap((error) => WAYS.map((way) => [wire, error as HttpFaultName, way] as const)),
);

describe("a refusal", () => {
  it.each(refusals)("of %s, %s, is the same error by %s as from a server", async (wire, error, way) => {
    const sent = HTTP_FAULTS[wire][error];
    if (sent === undefined) throw new Error("no such refusal");
    answer = (response) => void response.writeHead(sent.status, sent.headers).end(sent.body);
    const real = await errorOf(vendor(wire, server.baseURL), way);
    expect(real).toBeInstanceOf(LlmProviderHttpError);
    expect(told(await errorOf(faulty(wire, { kind: "http", error }), way))).toEqual(told(real));
  });

  it.each<[WireName, HttpFaultName, Partial<LlmProviderHttpError>]>([
    ["openai", "rate-limit", { status: 429, kind: "rate-limit", retryable: true, retryAfterMs: 1_980 }],
    ["openai", "quota", { status: 429, kind: "rate-limit", retryable: false }],
    ["openai", "server-error", { status: 500, kind: "unavailable", retryable: true }],
    ["openai", "context-length", { status: 400, kind: "context-length", retryable: false }],
    ["openai", "auth", { status: 401, kind: "auth", retryable: false }],
    ["anthropic", "overloaded", { status: 529, kind: "overloaded", retryable: true }],
    ["anthropic", "rate-limit", { status: 429, kind: "rate-limit", retryable: true, retryAfterMs: 7_000 }],
    ["anthropic", "context-length", { status: 400, kind: "context-length", retryable: false }],
    ["anthropic", "quota", { status: 400, kind: "permission", retryable: false }],
    ["responses", "rate-limit", { status: 429, kind: "rate-limit", retryable: true, retryAfterMs: 1_980 }],
    ["responses", "auth", { status: 401, kind: "auth", retryable: false }],
    ["gemini", "rate-limit", { status: 429, kind: "rate-limit", retryable: true }],
    ["gemini", "overloaded", { status: 503, kind: "unavailable", retryable: true }],
    ["gemini", "context-length", { status: 400, kind: "context-length", retryable: false }],
    ["gemini", "auth", { status: 401, kind: "auth", retryable: false }],
    ["gemini", "not-found", { status: 404, kind: "not-found", retryable: false }],
    ["bedrock", "rate-limit", { status: 429, kind: "rate-limit", retryable: true }],
    ["bedrock", "quota", { status: 400, kind: "rate-limit", retryable: false }],
    ["bedrock", "overloaded", { status: 503, kind: "unavailable", retryable: true }],
    ["bedrock", "context-length", { status: 400, kind: "context-length", retryable: false }],
    ["bedrock", "auth", { status: 403, kind: "auth", retryable: false }],
    ["bedrock", "not-found", { status: 404, kind: "not-found", retryable: false }],
    ["cohere", "rate-limit", { status: 429, kind: "rate-limit", retryable: true }],
    ["cohere", "quota", { status: 402, kind: "permission", retryable: false }],
    ["cohere", "context-length", { status: 400, kind: "context-length", retryable: false }],
    ["cohere", "auth", { status: 401, kind: "auth", retryable: false }],
    ["cohere", "not-found", { status: 404, kind: "not-found", retryable: false }],
    ["ollama", "server-error", { status: 500, kind: "unavailable", retryable: true }],
    ["ollama", "not-found", { status: 404, kind: "not-found", retryable: false }],
    ["openai", "bad-gateway", { status: 502, kind: "unavailable", retryable: true }],
  ])("of %s, %s, has its own kind", async (wire, error, expected) => {
    expect(await errorOf(faulty(wire, { kind: "http", error }), "turn")).toMatchObject(expected);
  });

  it("of another wire than the provider's comes in that wire's words", async () => {
    const fault: Fault = { kind: "http", wire: "anthropic", error: "overloaded" };
    const error = await errorOf(faulty("openai", fault), "turn");
    expect(error).toMatchObject({ status: 529, vendor: { type: "overloaded_error", message: "Overloaded" } });
  });
});

describe("what breaks on the way is the same error as from a server that does it", () => {
  const both = wires.flatMap((wire) => WAYS.map((way) => [wire, way] as const));

  it.each(both)("%s by %s: a refused connection", async (wire, way) => {
    const closed = await listen(() => undefined);
    await closed.close();
    const real = await errorOf(vendor(wire, closed.baseURL), way);
    const made = await errorOf(faulty(wire, { kind: "network", code: "ECONNREFUSED" }), way);
    expect(told(made)).toEqual(told(real));
    expect([made, real].map(({ cause }) => (cause as { code?: string }).code)).toEqual([
      "ECONNREFUSED",
      "ECONNREFUSED",
    ]);
  });

  it.each(both)("%s by %s: a connection that ends before the answer", async (wire, way) => {
    answer = (response) => void response.destroy();
    const real = await errorOf(vendor(wire, server.baseURL), way);
    expect(told(await errorOf(faulty(wire, { kind: "network", code: "ECONNRESET" }), way))).toEqual(told(real));
  });

  it.each(both)("%s by %s: silence, for as long as the call has", async (wire, way) => {
    answer = () => undefined;
    const timed = { ...request, timeoutMs: 30 };
    const real = await errorOf(vendor(wire, server.baseURL), way, timed);
    expect(real.code).toBe("timeout");
    expect(told(await errorOf(faulty(wire, { kind: "hang" }), way, timed))).toEqual(told(real));
    expect(told(await errorOf(faulty(wire, { kind: "latency", ms: 60_000 }), way, timed))).toEqual(told(real));
  });

  it.each(both)("%s by %s: an answer that breaks off", async (wire, way) => {
    answer = (response, isStream) => {
      response.writeHead(200, { "content-type": isStream ? VENDORS[wire].streamType : "application/json" });
      response.write(beginning(wire, isStream), () => setImmediate(() => response.destroy()));
    };
    const real = await errorOf(vendor(wire, server.baseURL), way);
    expect(real).toMatchObject({ code: "provider-response", kind: "unavailable", retryable: true });
    expect(told(await errorOf(faulty(wire, { kind: "torn", how: "reset" }), way))).toEqual(told(real));
  });

  it.each(both)("%s by %s: half an answer that ends as if it were whole", async (wire, way) => {
    answer = (response, isStream) => {
      response.writeHead(200, { "content-type": isStream ? VENDORS[wire].streamType : "application/json" });
      response.end(beginning(wire, isStream));
    };
    const real = await errorOf(vendor(wire, server.baseURL), way);
    expect(told(await errorOf(faulty(wire, { kind: "torn", how: "closed" }), way))).toEqual(told(real));
  });

  it.each(both)("%s by %s: a page of a proxy, nothing at all, another API's object", async (wire, way) => {
    const bodies = { page: GATEWAY_PAGE, nothing: "", foreign: '{"status":"queued"}' } as const;
    for (const [body, text] of Object.entries(bodies) as [keyof typeof bodies, string][]) {
      answer = (response) => void response.writeHead(200, { "content-type": "application/json" }).end(text);
      const real = await errorOf(vendor(wire, server.baseURL), way);
      expect(told(await errorOf(faulty(wire, { kind: "wrong-json", body }), way))).toEqual(told(real));
    }
  });
});

/** Words that begin an answer, without its end. */
function beginning(wire: WireName, isStream: boolean): string | Buffer {
  const stamp = { id: "1", createdAt: 0, model: "m-1" };
  const response = say("A long answer of which nobody will hear the end, since the line is cut in the middle of it.");
  // The Responses API opens a response, an item and a part before it says anything.
  const count = wire === "responses" ? 6 : 4;
  if (isStream) return bodyBytes(VENDORS[wire].stream(response, stamp).slice(0, count));
  return JSON.stringify(VENDORS[wire].write(response, stamp)).slice(0, 60);
}
