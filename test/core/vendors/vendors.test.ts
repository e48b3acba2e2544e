// One list says which requests are turns: what the proxy and the MSW handlers record, and what the server and the handlers
// replay. Each door is asked each path.

import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createShelf } from "../../../src/cassette/serve/shelf.js";
import { proxyHandler } from "../../../src/cli/proxy/handler.js";
import { createProxyRecorder } from "../../../src/cli/proxy/recorder.js";
import { serveHandler } from "../../../src/cli/serve/handler.js";
import { loadWire } from "../../../src/core/vendors/providers.js";
import { WIRE_NAMES } from "../../../src/core/vendors/table.js";
import { VENDORS, wireOf } from "../../../src/core/vendors/vendors.js";
import { cassetteHandlers, recordingHandlers } from "../../../src/entry/msw.js";
import { serveHttp, type HttpHandler } from "../../../src/host/index.js";
import { recordTurns } from "../../support/recording.js";
import { say } from "../../support/script.js";
import { startVendor } from "../../support/vendor.js";

const TURNS = [
  ["openai", "/v1/chat/completions"],
  ["openai", "/chat/completions"],
  ["openai", "/v1beta/openai/chat/completions"],
  ["openai", "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"],
  ["responses", "/v1/responses"],
  ["responses", "/responses"],
  ["responses", "/openai/v1/responses?api-version=preview"],
  ["responses", "/openai/deployments/gpt-4o/responses?api-version=2025-03-01-preview"],
  ["responses", "/backend-api/codex/responses"],
  ["gemini", "/v1beta/models/m:generateContent"],
  ["gemini", "/v1beta/models/m:streamGenerateContent?alt=sse"],
  ["gemini", "/v1beta/models/m:streamGenerateContent"],
  ["gemini", "/v1/projects/p/locations/l/publishers/google/models/m:generateContent?$alt=json;enum-encoding=int"],
  ["anthropic", "/v1/messages"],
  ["anthropic", "/v1/messages?beta=true"],
  ["bedrock", "/model/m/converse"],
  ["bedrock", "/model/m/converse-stream"],
  ["ollama", "/api/chat"],
  ["cohere", "/v2/chat"],
] as const;

const OTHERS = [
  ["POST", "/v1/responses/compact"],
  ["GET", "/v1/responses/resp_1"],
  ["POST", "/v1/embeddings"],
  ["POST", "/v1/completions"],
  ["POST", "/v1/moderations"],
  ["POST", "/v1/messages/count_tokens"],
  ["POST", "/v1/messages/batches"],
  ["POST", "/v1/threads/t_1/messages"],
  ["POST", "/v1beta/models/gemini-2.5-pro:countTokens"],
  ["POST", "/model/m/invoke"],
  ["POST", "/api/generate"],
  ["POST", "/v1/chat"],
  ["POST", "/v2/rerank"],
  ["POST", "/openai/deployments/ada/embeddings"],
  ["GET", "/v1/models"],
  ["GET", "/v1/chat/completions"],
  ["GET", "/api/tags"],
] as const;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
const msw = setupServer();
beforeAll(() => msw.listen({ onUnhandledRequest: "bypass" }));
afterAll(() => msw.close());

const messages = [{ role: "user" as const, content: "q" }];
const blocks = [{ role: "user", content: [{ text: "q" }] }];
async function ask(url: string, method = "POST"): Promise<number> {
  // Azure names the model in the path, and the Messages API demands a limit.
  const model = /\/deployments\/|\/model\//.test(url) ? {} : { model: "m" };
  const limit = url.includes("/messages") ? { max_tokens: 9 } : {};
  const turn = { messages, input: messages, contents: [{ role: "user", parts: [{ text: "q" }] }] };
  const field = url.includes("/responses") ? "input" : /generateContent/i.test(url) ? "contents" : "messages";
  const content = url.includes("/converse") ? blocks : turn[field];
  const body = JSON.stringify({ ...model, ...limit, stream: false, [field]: content });
  const response = await fetch(url, method === "POST" ? { method, body } : { method });
  await response.text();
  return response.status;
}

async function vendor(): Promise<{ url: string; asked: () => number }> {
  const { url, asked, close } = await startVendor(() => say("a"));
  closing.push(close);
  return { url, asked: () => asked.length };
}

async function listen(handler: HttpHandler): Promise<string> {
  const { url, close } = await serveHttp(handler);
  closing.push(close);
  return url;
}

async function recording() {
  const { url } = await vendor();
  const recorder = createProxyRecorder({
    lost() {},
    without() {},
    passedOn() {},
    exchanged() {},
    closed() {},
    kept() {},
  });
  const note = (why: string): never => expect.fail(why);
  const isPassed = () => false;
  const proxy = await listen(
    proxyHandler({
      target: new URL(url),
      recorder,
      isPassed,
      findSecrets: () => [],
      claim: () => Promise.resolve(undefined),
      note,
      sentBack: note,
      forgot: note,
    }),
  );
  return { proxy, recorder };
}

const cassette = () => recordTurns([{ messages }], [say("a")]);

async function serving() {
  const shelf = createShelf([{ file: "a", cassette: await cassette(), names: [] }]);
  const seen = { answered: 0, missed: 0, refused: [] as string[] };
  const watcher = {
    answered: () => void seen.answered++,
    missed: () => void seen.missed++,
    passed: () => undefined,
    noted: () => undefined,
    forgot: () => undefined,
    refused: ({ method, path }: { method: string; path: string }) => void seen.refused.push(`${method} ${path}`),
  };
  const server = await listen(
    serveHandler(shelf, watcher, { nameOf: (file) => file, streaming: { streaming: "chunked", speed: 1 } }),
  );
  return { server, seen };
}

describe.each(TURNS)("a turn of %s at %s", (wire, path) => {
  it("is on the list", () => {
    expect(wireOf({ method: "POST", path: path.split("?")[0] ?? "" })?.name).toBe(wire);
  });

  it("is recorded by the proxy", async () => {
    const { proxy, recorder } = await recording();
    expect(await ask(proxy + path)).toBe(200);
    const row = { method: "POST", path: path.split("?")[0], outcome: "turn", count: 1 };
    expect([recorder.recorded, recorder.lost, recorder.rows()]).toEqual([1, [], [row]]);
    const model = path.includes("/deployments/") ? "gpt-4o" : "m";
    expect(recorder.toCassette(0)?.recordedProvider).toBe(`${wire}:${model}`);
  });

  it("is answered by the server", async () => {
    const { server, seen } = await serving();
    expect(await ask(server + path)).toBe(200);
    expect(seen).toEqual({ answered: 1, missed: 0, refused: [] });
  });

  it("is recorded and replayed by the MSW handlers", async () => {
    const { url, asked } = await vendor();
    const baseUrls = { openai: url, anthropic: url, gemini: url, bedrock: url, cohere: url, ollama: url };
    const recorder = recordingHandlers({ baseUrls });
    msw.resetHandlers(...recorder);
    expect(await ask(url + path)).toBe(200);
    const replay = cassetteHandlers(await recorder.toCassette(), { baseUrls });
    msw.resetHandlers(...replay);
    expect(await ask(url + path)).toBe(200);
    await replay.done();
    expect(asked()).toBe(1);
  });
});

describe.each(OTHERS)("%s %s", (method, path) => {
  it("is recorded as an exchange by the proxy, and counted", async () => {
    const { proxy, recorder } = await recording();
    expect(await ask(proxy + path, method)).toBe(200);
    expect([recorder.recorded, recorder.rows()]).toEqual([0, [{ method, path, outcome: "exchange", count: 1 }]]);
    recorder.end();
    expect(recorder.toCassette(0)?.extensions?.exchanges).toMatchObject([{ method, path, status: 200 }]);
  });

  it("is refused by the server, and counted", async () => {
    const { server, seen } = await serving();
    expect(await ask(server + path, method)).toBe(404);
    expect(seen).toEqual({ answered: 0, missed: 0, refused: [`${method} ${path}`] });
  });

  it("is recorded and answered by the MSW handlers, and refused where it was not recorded", async () => {
    const { url, asked } = await vendor();
    const baseUrls = { openai: url };
    const recorder = recordingHandlers({ baseUrls });
    msw.resetHandlers(...recorder);
    expect([await ask(url + path, method), asked()]).toEqual([200, 1]);
    const recorded = await recorder.toCassette();
    expect(recorder.requests()).toEqual([{ method, path: url + path, outcome: "exchange", count: 1 }]);
    const replay = cassetteHandlers(recorded, { baseUrls });
    msw.resetHandlers(...replay);
    expect([await ask(url + path, method), asked()]).toEqual([200, 1]);
    await replay.done();
    const without = cassetteHandlers(await cassette(), { baseUrls });
    msw.resetHandlers(...without);
    expect([await ask(url + path, method), asked()]).toEqual([404, 1]);
    await expect(without.done()).rejects.toThrow(`${method} ${url}${path} refused: 1 time`);
  });
});

describe("a type that has the name of something else", () => {
  it.each(["constructor", "toString", "__proto__"])("is kept as any unknown type: %s", (type) => {
    const content = [{ type: "text", text: "a" }, { type }];
    const claude = VENDORS.anthropic.parse({ model: "m", max_tokens: 1, messages: [{ role: "assistant", content }] });
    expect(claude.request.messages).toEqual([
      { role: "assistant", content: "a", anthropic: { content: { 1: { type } } } },
    ]);
    const { request } = VENDORS.responses.parse({ model: "m", input: [{ type }, { type: "message", ...said(type) }] });
    expect(JSON.stringify(request.messages).split(`"${type}"`)).toHaveLength(3);
  });

  const said = (type: string) => ({ role: "assistant", content: [{ type }] });
});

describe("loadWire", () => {
  it.each(WIRE_NAMES)("loads the wire of %s", async (name) => {
    expect(await loadWire(name)).toBe(VENDORS[name]);
  });

  it("refuses a name that is not that of a wire", async () => {
    await expect(loadWire("toString" as never)).rejects.toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining('"toString" is not a wire') as string,
    });
  });
});
