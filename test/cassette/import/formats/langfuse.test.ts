import { describe, expect, it } from "vitest";
import { importOf, importOne, rebuildPrompts } from "../verify.js";

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

describe("what a framework wrote", () => {
  /** The one turn of a generation: prompt, answer, and the repairs but for results whose call the prompt does not have. */
  function turnOf(input: unknown, output: unknown) {
    const { cassette } = importOne(trace(generation("1", input, output)));
    const { "tool-result-unpaired": _, ...repairs } = importOf(cassette).repairs;
    return { prompt: rebuildPrompts(cassette)[0], said: cassette.entries[0]?.response.message, repairs };
  }
  const texts = (...list: string[]) => list.map((text) => ({ type: "output_text", text }));
  const result = (more: object) => ({ type: "tool_result", tool_use_id: "c1", name: "look", content: "21", ...more });
  const asked = { type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: "Paris" } };

  it("as several texts of one answer is joined and counted, whatever items they stand in", () => {
    const reasoning = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] };
    const output = [reasoning, { type: "message", role: "assistant", content: texts("Yes", ".") }];
    const joined = { content: "Yes.", reasoning: [{ type: "text", text: "Hm." }] };
    expect(turnOf([user], { object: "response", output })).toMatchObject({
      said: joined,
      repairs: { "content-list-joined": 1 },
    });
    const apart = texts("Yes", ".").map((text) => ({ type: "message", role: "assistant", content: [text] }));
    expect(turnOf([user], { object: "response", output: [reasoning, ...apart] })).toMatchObject({
      said: joined,
      repairs: { "content-list-joined": 1 },
    });
  });

  it.each([
    [{ system: texts("Be brief."), messages: [user] }, {}],
    [{ system: texts("Be ", "brief."), messages: [user] }, { "content-list-joined": 1 }],
    [
      {
        systemInstruction: { parts: [{ text: "Be brief." }] },
        contents: [{ role: "user", parts: [{ text: "Warm?" }] }],
      },
      {},
    ],
    [
      { config: { system_instruction: { parts: [{ text: "Be " }, { text: "brief." }] } }, contents: [user] },
      { "content-list-joined": 1 },
    ],
  ])("as a system prompt outside the messages comes first in the prompt", (input, repairs) => {
    const prompt = [{ role: "system", content: "Be brief." }, user];
    expect(turnOf(input, "Yes.")).toMatchObject({ prompt, repairs });
  });

  it("as text and results of tools in one message keeps its order", () => {
    const content = [{ type: "text", text: "Look:" }, result({}), { type: "text", text: "Well?" }];
    expect(turnOf([{ role: "user", content }], "Yes.").prompt?.map((message) => message.content)).toEqual([
      "Look:",
      "21",
      "Well?",
    ]);
    const whole = [{ type: "text", text: "Wait." }, asked, result({ toolCallId: "c1" }), { type: "text", text: "So." }];
    expect(turnOf([user, { role: "assistant", content: whole }, user], "Yes.").prompt).toMatchObject([
      user,
      { content: "Wait.", toolCalls: [{ id: "c1" }] },
      { role: "tool", toolCallId: "c1", content: "21" },
      { role: "assistant", content: "So." },
      user,
    ]);
  });

  it("as text after a call is put before it, and counted", () => {
    const late = [asked, { type: "text", text: "So." }];
    const said = { content: "So.", toolCalls: [{ id: "c1", arguments: { at: "Paris" } }] };
    expect(turnOf([user], { role: "assistant", content: late })).toMatchObject({
      said,
      repairs: { "text-order-lost": 1 },
    });
    const items = [
      { type: "function_call", call_id: "c1", name: "look", arguments: '{"at":"Paris"}' },
      ...texts("So.").map((text) => ({ type: "message", role: "assistant", content: [text] })),
    ];
    expect(turnOf([user], { object: "response", output: items })).toMatchObject({
      said,
      repairs: { "text-order-lost": 1 },
    });
  });

  it.each([
    result({ is_error: true }),
    result({ isError: true }),
    { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "error-text", value: "21" } },
  ])("as the result of a tool that failed stays one", (part) => {
    expect(turnOf([user, { role: "tool", content: [part] }], "Yes.").prompt?.[1]).toEqual({
      role: "tool",
      toolCallId: "c1",
      name: "look",
      content: "21",
      isError: true,
    });
  });

  it.each([
    { type: "thinking", thinking: "Hm.", signature: "c2ln" },
    { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "c2ln" } } },
  ])("as a signed thought keeps its signature", (part) => {
    const { said } = turnOf([user], { role: "assistant", content: [part, { type: "text", text: "Yes." }] });
    expect(said).toMatchObject({ content: "Yes.", reasoning: [{ type: "text", text: "Hm.", signature: "c2ln" }] });
  });

  it("as further answers, values that are not messages, and calls without arguments is counted", () => {
    const [yes, no] = ["Yes.", "No."].map((content) => ({ message: { role: "assistant", content } }));
    expect(turnOf([user], { choices: [yes, no, no] }).repairs).toEqual({ "answer-alternative-dropped": 2 });
    expect(turnOf([user], { generations: [[{ text: "Yes." }, { text: "No." }]] }).repairs).toEqual({
      "answer-alternative-dropped": 1,
    });
    expect(turnOf([user], [{ role: "assistant", content: "Yes." }, user]).repairs).toEqual({ "field-dropped": 1 });
    const { input: _, ...bare } = asked;
    expect(turnOf([user], { role: "assistant", content: [bare] })).toMatchObject({
      said: { toolCalls: [{ arguments: {} }] },
      repairs: { "arguments-missing": 1 },
    });
  });

  it("as fields that LangChain keeps apart is read or counted", () => {
    const call = { name: "look", arguments: '{"at":"Paris"}' };
    const more = { reasoning_content: "Hm.", function_call: call, refusal: null, audio: { id: "a" } };
    expect(turnOf([user], { type: "ai", content: "", additional_kwargs: more })).toMatchObject({
      said: { reasoning: [{ text: "Hm." }], toolCalls: [{ name: "look", arguments: { at: "Paris" } }] },
      repairs: { "field-dropped": 1 },
    });
  });
});
