import { describe, expect, it } from "vitest";
import { importOf, importOne, rebuildPrompts } from "./verify.js";

const generation = (id: string, input: unknown, output: unknown, more: object = {}) => ({
  id,
  traceId: "t1",
  parentObservationId: "root",
  type: "GENERATION",
  name: "chat",
  startTime: `2026-01-01T00:00:0${id}.000Z`,
  input: typeof input === "string" ? input : JSON.stringify(input),
  output: typeof output === "string" ? output : JSON.stringify(output),
  model: "m",
  ...more,
});
const root = { id: "root", traceId: "t1", type: "SPAN", name: "job", startTime: "2026-01-01T00:00:00.000Z" };
const trace = (...observations: object[]) => ({
  trace: { id: "t1", name: "weather" },
  observations: [root, ...observations],
});
const user = { role: "user", content: "Warm?" };

describe("a trace export of Langfuse", () => {
  it("gives one turn for each generation in the order in which they began, with tokens, price and settings", () => {
    const calls = [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":"Paris"}' } }];
    const asks = { role: "assistant", content: "", tool_calls: calls };
    const tool = { role: "tool", tool_call_id: "c1", content: "21" };
    const definition = {
      type: "function",
      function: { name: "look", description: "", parameters: { type: "object" } },
    };
    const { path, cassette, repairs } = importOne(
      trace(
        generation("2", [user, asks, tool, { role: "tool", content: definition }], "Yes."),
        generation("1", [user, { role: "tool", content: definition }], asks, {
          modelParameters: { temperature: "0.5", max_tokens: -1, stop: '["x"]', frequency_penalty: 1 },
          usageDetails: { input: 3, output: 4, input_cached_tokens: 1 },
          totalCost: 0.25,
        }),
      ),
    );
    expect(path).toBe("m/weather.t1.cassette.json");
    expect(repairs).toEqual([{ kind: "setting-dropped", count: 1 }]);
    expect(rebuildPrompts(cassette).map((prompt) => prompt.map(({ role }) => role))).toEqual([
      ["user"],
      ["user", "assistant", "tool"],
    ]);
    expect(cassette.entries[0]?.response).toMatchObject({
      message: { toolCalls: [{ id: "c1", name: "look", arguments: { at: "Paris" } }] },
      usage: { inputTokens: 3, outputTokens: 4, cacheReadTokens: 1 },
      costUsd: 0.25,
    });
    expect(cassette.extensions?.contexts).toMatchObject([
      { fromTurn: 0, tools: [{ name: "look" }], settings: { temperature: 0.5, stop: ["x"] } },
    ]);
  });

  it("passes over a generation around another, and counts one that failed", () => {
    const { cassette } = importOne(
      trace(
        generation("1", "outer", "outer"),
        generation("2", "Warm?", "Yes.", { parentObservationId: "1" }),
        generation("3", "Warm?", "", { level: "ERROR" }),
      ),
    );
    expect(cassette.entries.map(({ response }) => response.finalAnswer)).toEqual(["Yes."]);
    expect(importOf(cassette).repairs).toEqual({ "call-unanswered": 1 });
  });

  it.each<[string, unknown, unknown]>([
    ["OpenAI", { messages: [user] }, { choices: [{ message: { role: "assistant", content: "Yes." } }] }],
    [
      "Gemini",
      { contents: [{ role: "user", parts: [{ text: "Warm?" }] }] },
      { candidates: [{ content: { role: "model", parts: [{ text: "Yes." }] } }] },
    ],
    [
      "LangChain",
      { messages: [[{ type: "human", content: "Warm?" }]] },
      { generations: [[{ message: { lc: 1, id: ["x", "AIMessage"], kwargs: { content: "Yes." } } }]] },
    ],
    ["LangGraph", { update: { messages: [{ type: "human", content: "Warm?" }] } }, { type: "ai", content: "Yes." }],
    [
      "the Responses API",
      [{ role: "user", content: [{ type: "input_text", text: "Warm?" }] }],
      {
        object: "response",
        output: [
          { type: "reasoning", summary: [{ text: "hm" }] },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes." }] },
        ],
      },
    ],
    ["a plain prompt", { prompt: "Warm?" }, "Yes."],
  ])("reads the words of %s", (_, input, output) => {
    const { cassette, repairs } = importOne(trace(generation("1", input, output)));
    expect(repairs).toEqual([]);
    expect(rebuildPrompts(cassette)).toEqual([[user]]);
    expect(cassette.entries[0]?.response.finalAnswer).toBe("Yes.");
  });

  it("counts what a message has that has no place", () => {
    const odd = { role: "assistant", content: "Yes.", annotations: [{ url: "x" }], name: "bot" };
    const part = { role: "user", content: [{ type: "audio", data: "AA==" }] };
    const { repairs } = importOne(trace(generation("1", [part], odd)));
    expect(repairs).toEqual([
      { kind: "content-list-joined", count: 1 },
      { kind: "field-dropped", count: 2 },
      { kind: "part-unsupported", count: 1 },
    ]);
  });

  it("without a generation is refused", () => {
    expect(() => importOne(trace())).toThrow("no call of a model");
  });
});
