import { describe, expect, it } from "vitest";
import type { LlmMessage } from "../../../../src/core/model/message.js";
import { decodeCohere } from "../../../../src/core/vendors/cohere/decode.js";
import { encodeCohere } from "../../../../src/core/vendors/cohere/encode.js";
import { cohereStreamError } from "../../../../src/core/vendors/cohere/refusals.js";
import { cohere } from "../../../../src/core/vendors/cohere/vendor.js";
import { plainDecoding } from "../../../../src/core/http/json-readers.js";
import { weatherTool } from "../../../support/wire.js";

const stamp = { id: "x", createdAt: 0, model: "command-a-03-2025" };
const stream = (text: string) => cohere.read({ bytes: new TextEncoder().encode(text), isStream: true, isCut: false });
const sse = (...events: { type: string }[]) => events.map((data) => `data: ${JSON.stringify(data)}\n\n`).join("");
const calls = [{ id: "c1", name: "weather", arguments: { city: "Oslo" } }];

describe("a request to Cohere", () => {
  it("has the settings under Cohere's names", () => {
    const settings = {
      ...{ temperature: 0.5, topP: 0.9, maxTokens: 5, stop: ["x"], seed: 3, toolChoice: "required" as const },
      responseFormat: { name: "n", schema: { type: "object", properties: {} } },
    };
    expect(encodeCohere({ messages: [], tools: [weatherTool], settings }, { model: "m" })).toMatchObject({
      ...{ model: "m", temperature: 0.5, p: 0.9, max_tokens: 5, stop_sequences: ["x"], seed: 3 },
      tool_choice: "REQUIRED",
      response_format: { type: "json_object", json_schema: { type: "object", properties: {} } },
    });
  });

  it("has the text next to calls as the plan, and thoughts of this wire as parts", () => {
    const messages: LlmMessage[] = [
      { role: "assistant", content: "I look.", toolCalls: calls, reasoning: [{ type: "text", text: "hm" }] },
      { role: "assistant", content: "Rain.", reasoning: [{ type: "text", text: "hm", signature: "s" }] },
    ];
    expect(encodeCohere({ messages }, { model: "m" })["messages"]).toEqual([
      {
        role: "assistant",
        content: [{ type: "thinking", thinking: "hm" }],
        tool_plan: "I look.",
        tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
      },
      { role: "assistant", content: "Rain." },
    ]);
  });

  it("is read with documents as their JSON, and keeps what has no setting", () => {
    const { request } = cohere.parse({
      model: "m",
      documents: [{ id: "1", data: { text: "t" } }],
      citation_options: { mode: "FAST" },
      messages: [
        { role: "assistant", tool_plan: "I look.", tool_calls: [{ id: "c1", function: { name: "weather" } }] },
        {
          role: "tool",
          tool_call_id: "c1",
          content: [{ type: "document", document: { id: "d", data: { b: 1, a: "x" } } }],
        },
      ],
      response_format: { type: "json_object", schema: { type: "object" } },
    });
    expect(request.messages).toEqual([
      { role: "assistant", content: "I look.", toolCalls: [{ id: "c1", name: "weather", arguments: {} }] },
      {
        role: "tool",
        toolCallId: "c1",
        name: "weather",
        content: '{"a":"x","b":1}',
        cohere: { content: { 0: { type: "document", document: { id: "d" } } } },
      },
    ]);
    expect(request.settings).toEqual({
      model: "m",
      responseFormat: { name: "response", schema: { type: "object" } },
      cohere: { documents: [{ id: "1", data: { text: "t" } }], citation_options: { mode: "FAST" } },
    });
  });

  it.each([
    [{ model: "m", message: "q" }, false],
    [{ model: "m", messages: [] }, false],
    [{ model: "m", messages: [{ role: "assistant", tool_plan: "p" }] }, true],
    [{ model: "m", messages: [], tool_choice: "REQUIRED" }, true],
    [{ model: "m", messages: [], documents: [] }, true],
  ])("%j is recognised: %s", (body, expected) => {
    expect(cohere.recognises(body)).toBe(expected);
  });
});

describe("an answer of Cohere", () => {
  it("counts all tokens, and billed units where nothing else is there", () => {
    const billed_units = { input_tokens: 1, output_tokens: 2 };
    const tokens = { input_tokens: 10, output_tokens: 20, reasoning_tokens: 5 };
    const message = { content: [{ type: "text", text: "a" }] };
    expect(decodeCohere({ message, usage: { billed_units, tokens, cached_tokens: 4 } }).usage).toEqual({
      inputTokens: 10,
      outputTokens: 20,
      cacheReadTokens: 4,
      reasoningTokens: 5,
    });
    expect(decodeCohere({ message, usage: { billed_units } }).usage).toEqual({ inputTokens: 1, outputTokens: 2 });
  });

  it("notes what has no place", () => {
    const noted: string[] = [];
    const decoding = { ...plainDecoding, note: (what: string) => void noted.push(what) };
    const content = [{ type: "image" }, { type: "text", text: "a" }];
    decodeCohere({ message: { content, citations: [{}] }, finish_reason: "NEW" }, decoding);
    expect(noted).toEqual(['a content part of type "image"', 'the finish reason "NEW"']);
  });

  it("that is an error of status 200 is a typed error", () => {
    expect(() => decodeCohere({ message: "too many tokens: 9" })).toThrow("answered with an error: too many tokens");
    expect(() => decodeCohere({})).toThrow("has no message");
  });

  it("that ends in an error is one, by its name", () => {
    expect(() => stream(cohereStreamError)).toThrow("INVALID_TOOL_GENERATION: your request resulted");
  });

  it("is whole with its last event alone", () => {
    const events = [
      { type: "message-start", id: "1" },
      { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
      { type: "content-delta", index: 0, delta: { message: { content: { text: "Rain." } } } },
      { type: "citation-start", index: 0, delta: { message: { citations: { start: 0 } } } },
    ];
    expect(() => stream(sse(...events))).toThrow("ended before its answer was whole");
    const end = { type: "message-end", delta: { finish_reason: "STOP_SEQUENCE" } };
    expect(stream(sse(...events, end))).toMatchObject({ finalAnswer: "Rain.", stopReason: "stop" });
  });

  it("is written with a plan next to calls, whole and streamed", () => {
    const response = {
      message: { role: "assistant" as const, content: "I look.", toolCalls: calls },
      stopReason: "toolUse" as const,
    };
    expect(cohere.write(response, stamp)).toEqual({
      id: "x",
      message: {
        role: "assistant",
        tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
        tool_plan: "I look.",
      },
      finish_reason: "TOOL_CALL",
    });
    const names = cohere.stream(response, stamp).map((text) => /^event: (.*)$/m.exec(String(text))?.[1]);
    expect(names).toEqual([
      ...["message-start", "tool-plan-delta", "tool-call-start", "tool-call-delta", "tool-call-end", "message-end"],
    ]);
  });
});
