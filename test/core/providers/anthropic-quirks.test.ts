import { describe, expect, it } from "vitest";
import { plainDecoding } from "../../../src/core/http/json-readers.js";
import { decodePieces, findRecorded, namedSse, streamWires } from "../../support/exchanges.js";
import { callsIn, readRecorded, readStream, readWhole } from "../../support/quirks.js";
import { hasShared } from "../../support/shared.js";
import { agentErrorOf } from "../../support/wire.js";

// What vendors do apart from their documentation, streamed and whole. Where a recording shows it, its id is given.

describe("a streamed message of Anthropic's", () => {
  const start = {
    type: "message_start",
    message: { model: "m", content: [], usage: { input_tokens: 3, output_tokens: 1 } },
  };
  const open = (content_block: object, index = 0) => ({ type: "content_block_start", index, content_block });
  const delta = (fields: object, index = 0) => ({ type: "content_block_delta", index, delta: fields });
  const close = { type: "content_block_stop", index: 0 };
  const end = (stop_reason: string) => [
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
  const read = (...events: { type: string }[]) => readStream("anthropic", namedSse(start, ...events));
  const ping = { type: "ping" };

  it("pings between a block's start and its deltas", () => {
    const text = delta({ type: "text_delta", text: "hi" });
    expect(read(ping, open({ type: "text", text: "" }), ping, text, ping, close, ...end("end_turn"))).toMatchObject({
      finalAnswer: "hi",
      usage: { inputTokens: 3, outputTokens: 5 },
    });
  });

  it("a tool without arguments has one empty delta, or none", () => {
    const use = open({ type: "tool_use", id: "a", name: "time", input: {} });
    const empty = delta({ type: "input_json_delta", partial_json: "" });
    expect(callsIn(read(use, empty, close, ...end("tool_use")))).toEqual([["a", "time", {}]]);
    expect(callsIn(read(use, close, ...end("tool_use")))).toEqual([["a", "time", {}]]);
  });

  it("arguments that come whole with the start", () => {
    const use = open({ type: "tool_use", id: "a", name: "weather", input: { city: "Oslo" } });
    expect(callsIn(read(use, close, ...end("tool_use")))).toEqual([["a", "weather", { city: "Oslo" }]]);
  });

  it("arguments cut at max_tokens are kept as text", () => {
    const use = open({ type: "tool_use", id: "a", name: "weather", input: {} });
    const cut = delta({ type: "input_json_delta", partial_json: '{"city":"Os' });
    expect(read(use, cut, ...end("max_tokens"))).toMatchObject({
      stopReason: "length",
      message: { toolCalls: [{ arguments: {}, malformedArguments: '{"city":"Os' }] },
    });
  });

  it("empty content is an empty answer", () => {
    expect(read(...end("end_turn"))).toMatchObject({ finalAnswer: "", stopReason: "stop" });
  });

  it("thinking with its signature, and redacted thinking", () => {
    const events = [
      open({ type: "thinking", thinking: "", signature: "" }),
      delta({ type: "thinking_delta", thinking: "hm" }),
      delta({ type: "signature_delta", signature: "c2" }),
      delta({ type: "signature_delta", signature: "ln" }),
      close,
      open({ type: "redacted_thinking", data: "xxxx" }, 1),
      ...end("end_turn"),
    ];
    expect(read(...events).message.reasoning).toEqual([
      { type: "text", text: "hm", signature: "c2ln" },
      { type: "redacted", data: "xxxx" },
    ]);
  });

  it.each([
    ["pause_turn", "length"],
    ["refusal", "contentFilter"],
  ])("%s", (stop_reason, stopReason) => {
    expect(read(...end(stop_reason))).toMatchObject({ finalAnswer: "", stopReason });
    expect(readWhole("anthropic", { content: [], stop_reason })).toMatchObject({ finalAnswer: "", stopReason });
  });

  it("a block whose start was lost is read by its deltas, and a second start opens another block", () => {
    const text = (words: string) => delta({ type: "text_delta", text: words });
    expect(
      read(text("It "), start, open({ type: "text", text: "" }), text("rains."), ...end("end_turn")),
    ).toMatchObject({
      finalAnswer: "It rains.",
    });
  });

  it("without message_stop it was cut, and may be tried again", async () => {
    const text = delta({ type: "text_delta", text: "hi" });
    const error = await agentErrorOf(() =>
      read(open({ type: "text", text: "" }), text, close, ...end("end_turn").slice(0, 1)),
    );
    expect(error).toMatchObject({ code: "provider-response", retryable: true });
  });

  it("names what it leaves out", () => {
    const notes: string[] = [];
    const decoding = { ...plainDecoding, note: (what: string) => void notes.push(what) };
    const events = namedSse(
      start,
      { type: "weather_report" },
      open({ type: "server_tool_use", id: "s", name: "web_search", input: {} }),
      delta({ type: "input_json_delta", partial_json: '{"q":1}' }),
      open({ type: "text", text: "" }, 1),
      delta({ type: "odd_delta" }, 1),
      delta({ type: "citations_delta", citation: { url: "https://example.com" } }, 1),
      ...end("end_turn"),
    );
    decodePieces(streamWires.anthropic, [events], decoding);
    expect(notes).toEqual([
      'an event of type "weather_report"',
      'a delta of type "odd_delta"',
      'a block of type "server_tool_use"',
    ]);
  });

  it.skipIf(!hasShared)("so it was recorded", () => {
    expect(findRecorded("de7343da87ab8821").response.body).toMatch(/content_block_start[^\n]*\n\nevent: ping/);
    expect(callsIn(readRecorded("fb5c99d466fc4ec0"))[0]?.[2]).toEqual({});
    expect(readRecorded("7a4836846a9226b5").finalAnswer).toBe("");
    expect(readRecorded("57f9f6b0aefa229d").stopReason).toBe("length"); // pause_turn
    expect(readRecorded("f6a97e1e05ff31b9").message.reasoning?.[0]).toHaveProperty("signature");
    expect(readRecorded("8595beac6f96d42b").message.reasoning?.[0]).toHaveProperty("data");
  });
});
