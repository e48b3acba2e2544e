import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { LlmProviderAdapter, LlmTurnRequest } from "../../../src/core/model/provider.js";
import { anthropicProvider, ollamaProvider, openaiProvider } from "../../../src/core/vendors/providers.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { apiKey, hello, weatherTool } from "../../support/wire.js";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const oslo = { city: "Oslo" };

/** Each vendor's own words for: a call of `weather` in Oslo at first, "It rains." once it holds a result. */
const vendors: [string, LlmProviderAdapter, string, (hasResult: boolean) => object][] = [
  [
    "openai",
    openaiProvider({ apiKey, model: "gpt-4o" }),
    "https://api.openai.com/v1/chat/completions",
    (hasResult) => {
      const named = { name: "weather", arguments: JSON.stringify(oslo) };
      const calls = { content: null, tool_calls: [{ id: "a", type: "function", function: named }] };
      const message = hasResult ? { content: "It rains." } : calls;
      return { choices: [{ message, finish_reason: hasResult ? "stop" : "tool_calls" }] };
    },
  ],
  [
    "anthropic",
    anthropicProvider({ apiKey, model: "claude" }),
    "https://api.anthropic.com/v1/messages",
    (hasResult) => {
      const use = { type: "tool_use", id: "a", name: "weather", input: oslo };
      const content = [hasResult ? { type: "text", text: "It rains." } : use];
      return { content, stop_reason: hasResult ? "end_turn" : "tool_use" };
    },
  ],
  [
    "ollama",
    ollamaProvider({ model: "llama3.1" }),
    "http://localhost:11434/api/chat",
    (hasResult) => {
      const calls = { content: "", tool_calls: [{ id: "a", function: { name: "weather", arguments: oslo } }] };
      return { message: hasResult ? { content: "It rains." } : calls, done: true, done_reason: "stop" };
    },
  ],
];

describe("the five providers", () => {
  it("PLK-19 ship, each with a name", () => {
    const names = [echoProvider(), scriptedProvider([]), ...vendors.map(([, provider]) => provider)].map(
      ({ name }) => name,
    );
    expect(names).toEqual(["echo", "scripted", "openai:gpt-4o", "anthropic:claude", "ollama:llama3.1"]);
  });
});

describe.each(vendors)("%s over HTTP", (_vendor, provider, url, answer) => {
  it("PLK-31 drives a tool call and its result with the very objects every vendor gives", async () => {
    const sent: string[] = [];
    server.use(
      http.post(url, async ({ request }) => {
        const body = await request.text();
        sent.push(body);
        return HttpResponse.json(answer(body.includes("rain in Oslo")));
      }),
    );
    const request: LlmTurnRequest = { ...hello, tools: [weatherTool] };
    const first = await provider.turn(request);
    expect(first).toStrictEqual({
      message: { role: "assistant", content: "", toolCalls: [{ id: "a", name: "weather", arguments: oslo }] },
      stopReason: "toolUse",
    });
    const result = { role: "tool", toolCallId: "a", name: "weather", content: "rain in Oslo" } as const;
    const second = await provider.turn({ ...request, messages: [...hello.messages, first.message, result] });
    expect(second).toStrictEqual({
      message: { role: "assistant", content: "It rains." },
      finalAnswer: "It rains.",
      stopReason: "stop",
    });
    expect(sent).toHaveLength(2);
  });

  it("PLK-32 throws a typed error for a status other than 2xx", async () => {
    server.use(http.post(url, () => HttpResponse.json({ error: { message: "bad key" } }, { status: 401 })));
    await expect(provider.turn(hello)).rejects.toMatchObject({
      name: "LlmProviderHttpError",
      code: "provider-http",
      status: 401,
      bodySnippet: '{"error":{"message":"bad key"}}',
      providerName: provider.name,
      hint: "auth rejected – verify apiKey is set + valid for this baseURL",
      retryable: false,
      retryAfterMs: undefined,
    });
  });

  it("leaves the request as it was", async () => {
    server.use(http.post(url, () => HttpResponse.json(answer(true))));
    const request = { messages: Object.freeze([Object.freeze({ ...hello.messages[0]! })]) };
    const before = JSON.stringify(request);
    await provider.turn(request);
    expect(JSON.stringify(request)).toBe(before);
  });
});
