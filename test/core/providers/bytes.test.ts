// What goes out, to the byte: a fetch override sees the very request that would have been sent, on each wire and to each
// kind of compatible host.

import { describe, expect, it } from "vitest";
import { anthropicProvider, ollamaProvider, openaiProvider, type LlmTurnRequest } from "../../../src/core/index.js";

interface Sent {
  url: string;
  method: string | undefined;
  headers: Record<string, string>;
  body: string;
}

/** A fetch that sends nothing, keeps what it was asked to send, and answers with `answer`. */
function spy(answer: object): { fetch: typeof globalThis.fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    const headers = Object.fromEntries(new Headers(init.headers).entries());
    sent.push({ url, method: init.method, headers, body: init.body as string });
    return new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
  };
  return { fetch: fetch as unknown as typeof globalThis.fetch, sent };
}

const completion = { choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "21 °C" } }] };
const request: LlmTurnRequest = {
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Warm in Paris? €" },
    { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "weather", arguments: { city: "Paris" } }] },
    { role: "tool", toolCallId: "c1", name: "weather", content: "21" },
  ],
  tools: [{ name: "weather", description: "Weather of a city.", schema: { type: "object" } }],
  settings: { temperature: 0 },
};

describe("a fetch override sees exactly the bytes", () => {
  it("of a chat completion", async () => {
    const { fetch, sent } = spy(completion);
    await openaiProvider({ apiKey: "k", model: "gpt-4o", fetch, pricing: {} }).turn(request);
    expect(sent).toEqual([
      {
        url: "https://api.openai.com/v1/chat/completions",
        method: "POST",
        headers: { accept: "application/json", authorization: "Bearer k", "content-type": "application/json" },
        body:
          '{"model":"gpt-4o","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Warm in Paris? €"},' +
          '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\\"city\\":\\"Paris\\"}"}}]},' +
          '{"role":"tool","tool_call_id":"c1","content":"21"}],' +
          '"temperature":0,"tools":[{"type":"function","function":{"name":"weather","description":"Weather of a city.","parameters":{"type":"object"}}}]}',
      },
    ]);
  });

  it("of a message", async () => {
    const { fetch, sent } = spy({
      role: "assistant",
      content: [{ type: "text", text: "21 °C" }],
      stop_reason: "end_turn",
    });
    await anthropicProvider({ apiKey: "k", model: "claude", maxTokens: 64, fetch, pricing: {} }).turn(request);
    expect(sent).toEqual([
      {
        url: "https://api.anthropic.com/v1/messages",
        method: "POST",
        headers: {
          accept: "application/json",
          "anthropic-version": "2023-06-01",
          "content-type": "application/json",
          "x-api-key": "k",
        },
        body:
          '{"model":"claude","max_tokens":64,"system":"Be brief.","messages":[{"role":"user","content":"Warm in Paris? €"},' +
          '{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"weather","input":{"city":"Paris"}}]},' +
          '{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"21"}]}],' +
          '"temperature":0,"tools":[{"name":"weather","description":"Weather of a city.","input_schema":{"type":"object"}}]}',
      },
    ]);
  });

  it("of an Ollama chat", async () => {
    const { fetch, sent } = spy({ message: { role: "assistant", content: "21 °C" }, done: true, done_reason: "stop" });
    await ollamaProvider({ model: "qwen3", fetch }).turn(request);
    expect(sent).toEqual([
      {
        url: "http://localhost:11434/api/chat",
        method: "POST",
        headers: { accept: "application/json", "content-type": "application/json" },
        body:
          '{"model":"qwen3","stream":false,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Warm in Paris? €"},' +
          '{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"weather","arguments":{"city":"Paris"}}}]},' +
          '{"role":"tool","content":"21","tool_name":"weather","tool_call_id":"c1"}],' +
          '"tools":[{"type":"function","function":{"name":"weather","description":"Weather of a city.","parameters":{"type":"object"}}}],"options":{"temperature":0}}',
      },
    ]);
  });
});

describe("an OpenAI-compatible host", () => {
  it.each([
    [
      "Azure",
      "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
      "/openai/deployments/d/chat/completions?api-version=2024-10-21",
    ],
    ["OpenRouter", "https://openrouter.ai/api/v1", "/api/v1/chat/completions"],
    ["Together", "https://api.together.xyz/v1", "/v1/chat/completions"],
    ["Groq", "https://api.groq.com/openai/v1/", "/openai/v1/chat/completions"],
    ["Mistral", "https://api.mistral.ai/v1", "/v1/chat/completions"],
    ["DeepSeek", "https://api.deepseek.com", "/chat/completions"],
    ["xAI", "https://api.x.ai/v1", "/v1/chat/completions"],
    ["llama.cpp", "http://localhost:8080/v1", "/v1/chat/completions"],
    ["vLLM", "http://127.0.0.1:8000/v1", "/v1/chat/completions"],
  ])("%s is reached by its baseURL", async (_name, baseURL, path) => {
    const { fetch, sent } = spy(completion);
    await openaiProvider({
      apiKey: "k",
      model: "m",
      baseURL,
      fetch,
      pricing: {},
      ports: { warn: () => undefined },
    }).turn(request);
    const url = new URL(sent[0]?.url ?? "");
    expect([url.origin, url.pathname + url.search]).toEqual([new URL(baseURL).origin, path]);
  });

  it("gets the headers that a fetch override puts in", async () => {
    const { fetch, sent } = spy(completion);
    const azure: typeof globalThis.fetch = (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set("api-key", "a");
      headers.delete("authorization");
      return fetch(url, { ...init, headers });
    };
    await openaiProvider({ apiKey: "k", model: "m", fetch: azure, pricing: {}, ports: { warn: () => undefined } }).turn(
      request,
    );
    expect(sent[0]?.headers).toMatchObject({ "api-key": "a" });
    expect(sent[0]?.headers).not.toHaveProperty("authorization");
  });
});
