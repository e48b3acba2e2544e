import { describe, expect, it } from "vitest";
import { findMessageFlaw, findResponseFlaw } from "../../../src/core/model/response.js";
import { ask, say } from "../../support/script.js";

describe("findResponseFlaw", () => {
  it("finds none in an answer and in a turn with tool calls", () => {
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 1 };
    expect(findResponseFlaw(say("x", { usage, costUsd: 0, model: "m" }))).toBeUndefined();
    expect(findResponseFlaw(ask([{ name: "t", arguments: { a: [1] } }]))).toBeUndefined();
  });

  it.each(["stop", "toolUse", "length", "contentFilter", "error"])("takes the stop reason %s", (stopReason) => {
    expect(findResponseFlaw({ ...say("x"), stopReason })).toBeUndefined();
  });

  it("leaves fields it does not know alone", () => {
    expect(findResponseFlaw({ ...say("x"), vendorField: () => 1 })).toBeUndefined();
  });

  const withCalls = (toolCalls: unknown) => ({
    message: { role: "assistant", content: "", toolCalls },
    stopReason: "stop",
  });
  const call = { id: "1", name: "t", arguments: {} };

  it.each<[pointer: string, value: unknown]>([
    ["", undefined],
    ["", null],
    ["", []],
    ["", new Map()],
    ["/message", { stopReason: "stop" }],
    ["/message", { message: "text", stopReason: "stop" }],
    ["/message/role", { message: { role: "user", content: "" }, stopReason: "stop" }],
    ["/message/content", { message: { role: "assistant", content: null }, stopReason: "stop" }],
    ["/message/toolCalls", withCalls({})],
    ["/message/toolCalls", withCalls(null)],
    ["/message/toolCalls/0", withCalls([null])],
    ["/message/toolCalls/1/id", withCalls([call, { ...call, id: 1 }])],
    ["/message/toolCalls/0/name", withCalls([{ ...call, name: undefined }])],
    ["/message/toolCalls/0/arguments", withCalls([{ ...call, arguments: "{}" }])],
    ["/message/toolCalls/0/arguments", withCalls([{ ...call, arguments: [] }])],
    ["/stopReason", { message: { role: "assistant", content: "" } }],
    ["/stopReason", { ...say("x"), stopReason: "end_turn" }],
    ["/stopReason", { ...say("x"), stopReason: "toString" }],
    ["/finalAnswer", { ...say("x"), finalAnswer: null }],
    ["/costUsd", { ...say("x"), costUsd: "0.1" }],
    ["/isRefusal", { ...say("x"), isRefusal: "yes" }],
    ["/model", { ...say("x"), model: 4 }],
    ["/usage", { ...say("x"), usage: 5 }],
    ["/usage/inputTokens", { ...say("x"), usage: { outputTokens: 1 } }],
    ["/usage/outputTokens", { ...say("x"), usage: { inputTokens: 1, outputTokens: "1" } }],
  ])("points at %j", (pointer, value) => {
    expect(findResponseFlaw(value)?.pointer).toBe(pointer);
  });
});

describe("findMessageFlaw", () => {
  it.each([
    { role: "system", content: "x" },
    { role: "user", content: "x" },
    { role: "user", content: [{ type: "text", text: "x" }] },
    { role: "user", content: [] },
    {
      role: "user",
      content: [
        { type: "image", mediaType: "image/png", data: "AA==" },
        { type: "image", url: "https://example.com/a.png" },
      ],
    },
    { role: "assistant", content: "" },
    { role: "tool", toolCallId: "1", name: "t", content: "x" },
  ])("finds none in $role", (message) => {
    expect(findMessageFlaw(message)).toBeUndefined();
  });

  it.each<[pointer: string, value: unknown]>([
    ["", null],
    ["/role", {}],
    ["/role", { role: "developer", content: "x" }],
    ["/content", { role: "system", content: [] }],
    ["/content", { role: "user", content: {} }],
    ["/content/0", { role: "user", content: ["x"] }],
    ["/content/1/type", { role: "user", content: [{ type: "text", text: "" }, { type: "audio" }] }],
    ["/content/0/type", { role: "user", content: [{ text: "x" }] }],
    ["/content/0/text", { role: "user", content: [{ type: "text", text: null }] }],
    ["/content/0/mediaType", { role: "user", content: [{ type: "image" }] }],
    ["/content/0/data", { role: "user", content: [{ type: "image", mediaType: "image/png" }] }],
    ["/content/0/url", { role: "user", content: [{ type: "image", url: undefined, mediaType: "", data: "" }] }],
    ["/content", { role: "assistant" }],
    ["/toolCallId", { role: "tool", name: "t", content: "x" }],
    ["/name", { role: "tool", toolCallId: "1", content: "x" }],
    ["/content", { role: "tool", toolCallId: "1", name: "t" }],
  ])("points at %j", (pointer, value) => {
    expect(findMessageFlaw(value)?.pointer).toBe(pointer);
  });
});
