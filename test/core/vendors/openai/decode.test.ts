import { describe, expect, it } from "vitest";
import { decodeOpenAi } from "../../../../src/core/vendors/openai/decode.js";
import { plainDecoding } from "../../../../src/core/http/json-readers.js";
import { agentErrorOf } from "../../../support/wire.js";

const answer = (message: object, choice: object = {}) => ({ choices: [{ message, ...choice }] });
const decode = (message: object, choice: object = {}) => decodeOpenAi(answer(message, choice));
const call = { id: "a", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };

function notesOf(body: unknown): string[] {
  const notes: string[] = [];
  decodeOpenAi(body, { ...plainDecoding, note: (what) => notes.push(what) });
  return notes;
}

describe("decodeOpenAi", () => {
  it("reads a plain answer", () => {
    const body = {
      model: "gpt-4o-2024-11-20",
      choices: [{ message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    };
    expect(decodeOpenAi(body)).toStrictEqual({
      message: { role: "assistant", content: "hi" },
      finalAnswer: "hi",
      stopReason: "stop",
      usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 4, reasoningTokens: 3 },
      model: "gpt-4o-2024-11-20",
    });
  });

  it("reads tool calls, and gives no final answer then", () => {
    expect(decode({ content: null, tool_calls: [call] }, { finish_reason: "tool_calls" })).toStrictEqual({
      message: {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "a", name: "weather", arguments: { city: "Oslo" } }],
      },
      stopReason: "toolUse",
    });
  });

  it.each([[null], [undefined], [""], [[]], [7]])("reads content %j as empty", (content) => {
    expect(decode({ role: "assistant", content, tool_calls: null })).toMatchObject({ finalAnswer: "" });
  });

  it("reads content in parts, thinking apart", () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    expect(decode({ content }).message).toEqual({
      role: "assistant",
      content: "ab",
      reasoning: [{ type: "text", text: "hm" }],
    });
  });

  it.each([
    [{ reasoning_content: "hm" }],
    [{ reasoning: "hm" }],
    [{ reasoning: "hm", reasoning_details: [{ type: "reasoning.text", text: "hm" }] }],
    [{ reasoning: null, reasoning_details: [{ type: "reasoning.summary", summary: "hm" }] }],
  ])("reads reasoning from %j once", (fields) => {
    expect(decode({ content: "x", ...fields }).message.reasoning).toEqual([{ type: "text", text: "hm" }]);
  });

  it("reads a legacy function call, and takes an empty one for none", () => {
    const legacy = { name: "weather", arguments: '{"city":"Oslo"}' };
    expect(decode({ content: null, function_call: legacy }, { finish_reason: "function_call" })).toMatchObject({
      message: { toolCalls: [{ id: "call_0", name: "weather", arguments: { city: "Oslo" } }] },
      stopReason: "toolUse",
    });
    expect(decode({ content: "4", function_call: { name: "", arguments: "" } }).finalAnswer).toBe("4");
  });

  it("reads a call of a custom tool as free text, and ignores an empty one next to a function", () => {
    const custom = { id: "a", type: "custom", custom: { name: "shell", input: "ls -l" } };
    expect(decode({ tool_calls: [custom] }).message.toolCalls).toEqual([
      { id: "a", name: "shell", arguments: {}, malformedArguments: "ls -l" },
    ]);
    const both = { ...call, custom: { name: "", input: "" } };
    expect(decode({ tool_calls: [both] }).message.toolCalls).toMatchObject([{ name: "weather" }]);
  });

  it("reads a refusal as the content, stopped by a filter", () => {
    const response = { finalAnswer: "I cannot.", stopReason: "contentFilter" };
    expect(decode({ content: null, refusal: "I cannot." }, { finish_reason: "stop" })).toMatchObject(response);
    expect(decode({ content: [{ type: "refusal", refusal: "I cannot." }] })).toMatchObject(response);
    expect(decode({ content: null, refusal: "I cannot." }).isRefusal).toBe(true);
    const both = decode({ content: "Well.", refusal: "I cannot." });
    expect(both.finalAnswer).toBe("Well.\nI cannot.");
    expect(both).not.toHaveProperty("isRefusal");
    expect(decode({ content: "fine", refusal: "" }, { finish_reason: "stop" }).stopReason).toBe("stop");
  });

  it("reads the transcript of a spoken answer", () => {
    expect(decode({ content: null, audio: { id: "x", data: "AA", transcript: "beep" } }).finalAnswer).toBe("beep");
  });

  it.each([
    ["stop", "stop"],
    ["eos", "stop"],
    ["", "stop"],
    [null, "stop"],
    ["length", "length"],
    ["model_length", "length"],
    ["content_filter", "contentFilter"],
    ["error", "error"],
    ["insufficient_system_resource", "error"],
    ["tool_calls", "stop"],
    ["constructor", "stop"],
  ])("maps finish_reason %j without calls to %s", (finish_reason, stopReason) => {
    expect(decode({ content: "x" }, { finish_reason }).stopReason).toBe(stopReason);
  });

  it.each([
    ["stop", "toolUse"],
    [null, "toolUse"],
    ["tool_calls", "toolUse"],
    ["function_call", "toolUse"],
    ["length", "length"],
    ["content_filter", "contentFilter"],
  ])("maps finish_reason %j with calls to %s", (finish_reason, stopReason) => {
    expect(decode({ tool_calls: [call] }, { finish_reason }).stopReason).toBe(stopReason);
  });

  it("reads the old finish_details", () => {
    expect(decode({ content: "x" }, { finish_details: { type: "max_tokens" } }).stopReason).toBe("length");
  });

  it("counts reasoning into the output where the vendor counts it apart", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 35,
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    expect(decodeOpenAi({ ...answer({ content: "x" }), usage }).usage).toEqual({
      inputTokens: 10,
      outputTokens: 25,
      reasoningTokens: 20,
    });
  });

  it.each([[undefined], [null], [{}], [{ prompt_tokens: null, completion_tokens: -1 }], ["many"]])(
    "reports no usage for %j",
    (usage) => expect(Object.keys(decodeOpenAi({ ...answer({ content: "x" }), usage }))).not.toContain("usage"),
  );

  it("replaces lone surrogates", () => {
    expect(decode({ content: "a\ud800" }).finalAnswer).toBe("a\ufffd");
  });

  it("says what it leaves out", () => {
    const choice = { message: { content: "x" } };
    expect(notesOf({ choices: [choice, choice] })).toEqual(["more than one choice"]);
    expect(notesOf(answer({ content: [{ type: "reference" }] }))).toEqual(['a content part of type "reference"']);
    expect(notesOf(answer({ content: "x" }, { finish_reason: "odd" }))).toEqual(['the finish reason "odd"']);
    expect(notesOf(answer({ content: "x" }, { finish_reason: "stop" }))).toEqual([]);
  });

  it.each([
    [{ error: { message: "overloaded", code: 502 } }, true],
    [{ error: { message: "slow down", code: "429" } }, true],
    [{ error: { message: "slow down", type: "rate_limit_exceeded" } }, true],
    [{ error: { message: "no such model", code: "model_not_found" } }, false],
    [{ error: "broken" }, false],
    [{ choices: [{ error: { message: "upstream died", code: 500 }, message: { content: "" } }] }, true],
  ])("refuses %j under status 200", async (body, retryable) => {
    expect(await agentErrorOf(() => decodeOpenAi(body))).toMatchObject({ code: "provider-response", retryable });
  });

  it("ignores an empty error next to an answer", () => {
    expect(decodeOpenAi({ ...answer({ content: "x" }), error: null }).finalAnswer).toBe("x");
  });

  it.each([[null], [[]], ["text"], [{}], [{ choices: [] }], [{ choices: [{}] }], [{ choices: [{ message: null }] }]])(
    "refuses %j, which holds no message",
    async (body) => {
      const error = await agentErrorOf(() => decodeOpenAi(body));
      expect(error).toMatchObject({ code: "provider-response", retryable: false });
      expect(error.message).toContain("has no message");
    },
  );
});
