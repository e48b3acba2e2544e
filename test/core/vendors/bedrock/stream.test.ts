// ConverseStream: frames written by hand, cut anywhere, damaged, and with the errors of the vendor.

import { describe, expect, it } from "vitest";
import { AgentError } from "../../../../src/core/errors.js";
import { toFrame } from "../../../../src/core/http/event-frames.js";
import type { LlmStreamDelta, LlmTurnResponse } from "../../../../src/core/model/provider.js";
import { VENDORS } from "../../../../src/core/vendors/vendors.js";

const wire = VENDORS.bedrock;

const event = (type: string, payload: object): Uint8Array =>
  toFrame({ ":event-type": type, ":message-type": "event" }, JSON.stringify(payload));

const start = event("messageStart", { role: "assistant", p: "abc" });
const stop = (stopReason: string) => event("messageStop", { stopReason, p: "abcdefgh" });
const metadata = event("metadata", { usage: { inputTokens: 3, outputTokens: 5, totalTokens: 8 }, p: "" });
const delta = (contentBlockIndex: number, one: object) =>
  event("contentBlockDelta", { contentBlockIndex, delta: one, p: "abcd" });

const CALLS = [
  start,
  delta(0, { reasoningContent: { text: "Hm" } }),
  delta(0, { reasoningContent: { text: "." } }),
  delta(0, { reasoningContent: { signature: "sig" } }),
  event("contentBlockStop", { contentBlockIndex: 0 }),
  delta(1, { text: "" }),
  delta(1, { text: "I look" }),
  event("contentBlockStop", { contentBlockIndex: 1 }),
  event("contentBlockStart", { contentBlockIndex: 2, start: { toolUse: { toolUseId: "t1", name: "weather" } } }),
  delta(2, { toolUse: { input: '{"ci' } }),
  delta(2, { toolUse: { input: "" } }),
  delta(2, { toolUse: { input: 'ty":"Oslo"}' } }),
  event("contentBlockStart", { contentBlockIndex: 3, start: { toolUse: { toolUseId: "t2", name: "now" } } }),
  event("contentBlockStop", { contentBlockIndex: 3 }),
  stop("tool_use"),
  metadata,
];

const ANSWER: LlmTurnResponse = {
  message: {
    role: "assistant",
    content: "I look",
    toolCalls: [
      { id: "t1", name: "weather", arguments: { city: "Oslo" } },
      { id: "t2", name: "now", arguments: {} },
    ],
    reasoning: [{ type: "text", text: "Hm.", signature: "sig" }],
  },
  stopReason: "toolUse",
  usage: { inputTokens: 3, outputTokens: 5 },
};

function read(frames: readonly Uint8Array[], noted: string[] = []): LlmTurnResponse {
  const bytes = Buffer.concat(frames);
  return wire.read({ bytes, isStream: true, isCut: false }, undefined, (what) => noted.push(what));
}

function errorOf(run: () => unknown): AgentError {
  try {
    run();
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("a stream of Bedrock", () => {
  it("is one answer, whatever its padding", () => {
    expect(read(CALLS)).toEqual(ANSWER);
  });

  it("gives its deltas as they come, wherever it is cut", () => {
    const bytes = Buffer.concat(CALLS);
    for (const size of [1, 7, 100, bytes.length]) {
      const decoder = wire.decoder();
      const deltas: LlmStreamDelta[] = [];
      for (let at = 0; at < bytes.length; at += size) deltas.push(...decoder.feed(bytes.subarray(at, at + size)));
      expect(decoder.isEnded()).toBe(true);
      expect(decoder.end()).toEqual({ deltas: [], response: ANSWER });
      expect(deltas).toEqual([
        { type: "reasoning-delta", text: "Hm" },
        { type: "reasoning-delta", text: "." },
        { type: "text-delta", text: "I look" },
        { type: "tool-call-delta", index: 0, id: "t1", name: "weather", argumentsText: "" },
        { type: "tool-call-delta", index: 0, argumentsText: '{"ci' },
        { type: "tool-call-delta", index: 0, argumentsText: "" },
        { type: "tool-call-delta", index: 0, argumentsText: 'ty":"Oslo"}' },
        { type: "tool-call-delta", index: 1, id: "t2", name: "now", argumentsText: "" },
      ]);
    }
  });

  it("that ends at any earlier byte was cut", () => {
    const bytes = Buffer.concat(CALLS);
    for (let end = 0; end < bytes.length; end++) {
      const error = errorOf(() => wire.read({ bytes: bytes.subarray(0, end), isStream: true, isCut: false }));
      expect(error).toMatchObject({ code: "provider-response", kind: "unavailable", retryable: true });
    }
  });

  it("with a damaged frame gives the deltas before it and then a typed error", () => {
    const damaged = Buffer.concat([...CALLS.slice(0, 7), Buffer.from(delta(1, { text: "more" })), metadata]);
    const at = Buffer.concat(CALLS.slice(0, 7)).length + 40;
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    const decoder = wire.decoder();
    expect(decoder.feed(damaged)).toHaveLength(3);
    expect(decoder.isEnded()).toBe(true);
    const error = errorOf(() => decoder.end());
    expect(error.code).toBe("provider-response");
    expect(error.message).toBe("the vendor streamed a frame with a wrong checksum");
  });

  it.each([
    ["throttlingException", "rate-limit", true],
    ["internalServerException", "unavailable", true],
    ["serviceUnavailableException", "unavailable", true],
    ["modelStreamErrorException", "unavailable", true],
    ["validationException", "bad-request", false],
  ])("with %s is an error of the kind %s", (type, kind, retryable) => {
    const headers = { ":message-type": "exception", ":exception-type": type };
    const error = errorOf(() => read([start, toFrame(headers, '{"message":"no"}')]));
    expect(error).toMatchObject({ code: "provider-response", kind, retryable });
    expect(error.message).toContain(`${type}: no`);
  });

  it("keeps thoughts that are hidden, in one piece for each block", () => {
    const frames = [
      start,
      delta(0, { reasoningContent: { redactedContent: "YQ==" } }),
      delta(0, { reasoningContent: { redactedContent: "YmM=" } }),
      delta(1, { reasoningContent: { redactedContent: "ZA==" } }),
      stop("end_turn"),
      metadata,
    ];
    expect(read(frames).message.reasoning).toEqual([
      { type: "redacted", data: "YWJj" },
      { type: "redacted", data: "ZA==" },
    ]);
  });

  it("notes what a response has no place for, and runs no tool of the vendor", () => {
    const noted: string[] = [];
    const server = { toolUse: { toolUseId: "s1", name: "code", type: "server_tool_use" } };
    const frames = [
      start,
      event("contentBlockStart", { contentBlockIndex: 0, start: server }),
      delta(0, { toolUse: { input: '{"a":1}' } }),
      event("contentBlockStart", { contentBlockIndex: 1, start: { toolResult: { toolUseId: "s1" } } }),
      delta(1, { toolResult: [{ json: {} }] }),
      delta(2, { text: "Ruby" }),
      delta(2, { citation: { title: "facts" } }),
      delta(3, { hologram: {} }),
      event("novelty", {}),
      stop("end_turn"),
      event("metadata", { usage: { inputTokens: 1, outputTokens: 1 }, trace: { guardrail: {} } }),
    ];
    expect(read(frames, noted).message).toEqual({ role: "assistant", content: "Ruby" });
    expect(noted.sort()).toEqual([
      'a block of type "toolResult"',
      'a block of type "toolUse"',
      'a delta of type "hologram"',
      'an event of type "novelty"',
    ]);
  });

  it("may come whole instead, as JSON", () => {
    const whole = { output: { message: { role: "assistant", content: [{ text: "hi" }] } }, stopReason: "end_turn" };
    const bytes = Buffer.from(`\n${JSON.stringify(whole, null, 2)}`);
    expect(wire.read({ bytes, isStream: true, isCut: false }).finalAnswer).toBe("hi");
  });
});
