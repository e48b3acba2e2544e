import { describe, expect, it } from "vitest";
import { decodeAnthropic } from "../../../../src/core/vendors/anthropic/decode.js";
import { encodeAnthropic } from "../../../../src/core/vendors/anthropic/encode.js";
import { plainDecoding } from "../../../../src/core/http/json-readers.js";
import { agentErrorOf } from "../../../support/wire.js";

const answer = (content: object[], rest: object = {}) => ({ type: "message", role: "assistant", content, ...rest });

describe("decodeAnthropic", () => {
  it("reads a plain answer, the cache counted into the input", () => {
    const usage = {
      input_tokens: 3,
      output_tokens: 5,
      cache_creation_input_tokens: 10,
      cache_read_input_tokens: 100,
      output_tokens_details: { thinking_tokens: 2 },
    };
    const body = answer([{ type: "text", text: "hi" }], { stop_reason: "end_turn", model: "claude-x", usage });
    expect(decodeAnthropic(body)).toStrictEqual({
      message: { role: "assistant", content: "hi" },
      finalAnswer: "hi",
      stopReason: "stop",
      usage: { inputTokens: 113, outputTokens: 5, cacheReadTokens: 100, cacheWriteTokens: 10, reasoningTokens: 2 },
      model: "claude-x",
    });
  });

  it("reads thinking, text and parallel calls", () => {
    const body = answer(
      [
        { type: "thinking", thinking: "hm", signature: "c2ln" },
        { type: "redacted_thinking", data: "xxxx" },
        { type: "text", text: "Let me see." },
        { type: "tool_use", id: "a", name: "weather", input: { city: "Oslo" } },
        { type: "tool_use", id: "b", name: "weather", input: {} },
      ],
      { stop_reason: "tool_use" },
    );
    expect(decodeAnthropic(body)).toStrictEqual({
      message: {
        role: "assistant",
        content: "Let me see.",
        toolCalls: [
          { id: "a", name: "weather", arguments: { city: "Oslo" } },
          { id: "b", name: "weather", arguments: {} },
        ],
        reasoning: [
          { type: "text", text: "hm", signature: "c2ln" },
          { type: "redacted", data: "xxxx" },
        ],
      },
      stopReason: "toolUse",
    });
  });

  it("gives back what it read: the same blocks go out again", () => {
    const blocks = [
      { type: "thinking", thinking: "", signature: "c2ln" },
      { type: "redacted_thinking", data: "xxxx" },
      { type: "text", text: "Let me see." },
      { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } },
    ];
    const { message } = decodeAnthropic(answer(blocks));
    const body = encodeAnthropic({ messages: [message] }, { model: "claude", maxTokens: 1 });
    expect(body["messages"]).toEqual([{ role: "assistant", content: blocks }]);
  });

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    [null, "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["pause_turn", "length"],
    ["refusal", "contentFilter"],
    ["tool_use", "stop"],
    ["toString", "stop"],
  ])("maps stop_reason %j without calls to %s", (stop_reason, stopReason) => {
    expect(decodeAnthropic(answer([], { stop_reason })).stopReason).toBe(stopReason);
  });

  it("says what it leaves out", () => {
    const notes: string[] = [];
    const body = answer(
      [
        { type: "server_tool_use", id: "s", name: "web_search", input: {} },
        { type: "text", text: "see", citations: [{ url: "https://example.com" }] },
      ],
      { stop_reason: "odd" },
    );
    const { finalAnswer } = decodeAnthropic(body, { ...plainDecoding, note: (what) => notes.push(what) });
    expect(finalAnswer).toBe("see");
    expect(notes).toEqual(['a block of type "server_tool_use"', 'the stop reason "odd"']);
  });

  it("refuses an error under status 200", async () => {
    const body = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const error = await agentErrorOf(() => decodeAnthropic(body));
    expect(error).toMatchObject({ code: "provider-response", retryable: true });
    expect(error.message).toBe("the vendor answered with an error: overloaded_error: Overloaded");
  });

  it.each([[null], [{}], [{ input_tokens: 5 }], [{ content: "text" }]])(
    "refuses %j, which is not a message",
    async (body) => {
      expect(await agentErrorOf(() => decodeAnthropic(body))).toMatchObject({ code: "provider-response" });
    },
  );

  it("survives invalid blocks", () => {
    expect(decodeAnthropic({ content: [null, 5, "x", { type: "text" }, { type: "tool_use" }] }).message).toEqual({
      role: "assistant",
      content: "",
      toolCalls: [{ id: "call_0", name: "", arguments: {} }],
    });
  });
});
