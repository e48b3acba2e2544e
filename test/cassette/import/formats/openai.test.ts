import { describe, expect, it } from "vitest";
import { importOne, readConversation, repairsOf } from "../verify.js";

const format = "openai-messages" as const;
const call = (id: unknown, name: string, args: unknown) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const calling = (...calls: unknown[]) => ({ role: "assistant", content: "", tool_calls: calls });

function single(message: unknown) {
  const messages = [message];
  return { message: readConversation(messages, { format })[0], repairs: withoutEmpty(repairsOf(messages, { format })) };
}

/** A run of one message may well have no assistant message, which does not matter here. */
function withoutEmpty({ "no-assistant-message": _, ...repairs }: Record<string, number>) {
  return repairs;
}

describe("OpenAI content", () => {
  it("is text as it is", () => {
    expect(single({ role: "user", content: "hi" })).toEqual({ message: { role: "user", content: "hi" }, repairs: {} });
  });

  it.each([
    ["null", { content: null }, "", { "content-null": 1 }],
    ["missing", {}, "", { "content-missing": 1 }],
    ["an empty list", { content: [] }, "", { "content-list-joined": 1 }],
    [
      "a list of texts",
      { content: [{ type: "text", text: "a" }, "b", { type: "text", text: "c" }] },
      "abc",
      { "content-list-joined": 1 },
    ],
    ["a number", { content: 7 }, "7", { "content-not-text": 1, "part-unsupported": 1 }],
    ["one part without a list", { content: { type: "text", text: "a" } }, "a", { "content-not-text": 1 }],
    [
      "a part nobody knows",
      {
        content: [
          { type: "text", text: "a" },
          { type: "video", b: 1, a: 2 },
        ],
      },
      'a{"a":2,"b":1,"type":"video"}',
      { "content-list-joined": 1, "part-unsupported": 1 },
    ],
    [
      "a text part whose text is not text",
      { content: [{ type: "text", text: 1 }, null] },
      '{"text":1,"type":"text"}null',
      { "content-list-joined": 1, "part-unsupported": 2 },
    ],
  ])("that is %s becomes text, for every role", (_, content, text, repairs) => {
    for (const role of ["system", "user", "assistant"]) {
      expect(single({ role, ...content })).toEqual({ message: { role, content: text }, repairs });
    }
  });

  it("keeps the images of a user message with its texts", () => {
    const content = [
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: "https://example.test/a.png", detail: "low" } },
      { type: "image_url", image_url: "data:image/png;base64,AAAA" },
      { type: "input_image", image_url: "data:text/plain,hi" },
    ];
    expect(single({ role: "user", content })).toEqual({
      message: {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", url: "https://example.test/a.png" },
          { type: "image", mediaType: "image/png", data: "AAAA" },
          { type: "image", url: "data:text/plain,hi" },
        ],
      },
      repairs: {},
    });
  });

  it("keeps an unsupported part next to an image as a text part", () => {
    const image = { type: "image_url", image_url: { url: "u" } };
    expect(single({ role: "user", content: [image, { type: "input_audio" }] })).toEqual({
      message: {
        role: "user",
        content: [
          { type: "image", url: "u" },
          { type: "text", text: '{"type":"input_audio"}' },
        ],
      },
      repairs: { "part-unsupported": 1 },
    });
  });

  it("keeps an image that is not a user's as text", () => {
    const part = { type: "image_url", image_url: { url: "u" } };
    expect(single({ role: "assistant", content: [part] })).toEqual({
      message: { role: "assistant", content: '{"image_url":{"url":"u"},"type":"image_url"}' },
      repairs: { "part-unsupported": 1, "content-list-joined": 1 },
    });
  });
});

describe("OpenAI roles", () => {
  it("take developer as system", () => {
    expect(single({ role: "developer", content: "d" })).toEqual({
      message: { role: "system", content: "d" },
      repairs: { "role-developer": 1 },
    });
  });

  it.each([
    [{ role: "critic", content: "no", x: 1 }, '{"content":"no","role":"critic","x":1}'],
    [{ content: "no role" }, '{"content":"no role"}'],
    ["just text", '"just text"'],
    [null, "null"],
  ])("that are unknown, as in %j, keep the whole message as a user's text", (message, content) => {
    const messages = [{ role: "assistant", content: "" }, message];
    expect(readConversation(messages, { format })[1]).toEqual({ role: "user", content });
    expect(repairsOf(messages, { format })).toEqual({ "role-unknown": 1 });
  });

  it("keep a system prompt outside the messages", () => {
    const record = { system: "be kind", messages: [{ role: "assistant", content: "" }] };
    expect(readConversation(record, { format })[0]).toEqual({ role: "system", content: "be kind" });
  });
});

describe("OpenAI tool calls", () => {
  it("read argument text, and make the turn one that asks for tools", () => {
    const { cassette, repairs } = importOne([calling(call("1", "add", '{"b":2,"a":1}'))]);
    expect(cassette.entries[0]?.response).toEqual({
      message: { role: "assistant", content: "", toolCalls: [{ id: "1", name: "add", arguments: { b: 2, a: 1 } }] },
      stopReason: "toolUse",
    });
    expect(repairs).toEqual([]);
  });

  it.each([
    ['{"a":', "arguments-malformed", '{"a":'],
    ["search for it", "arguments-malformed", "search for it"],
    ['{"a":1e999}', "arguments-malformed", '{"a":1e999}'],
    ["[".repeat(50_000) + "]".repeat(50_000), "arguments-malformed", "[".repeat(50_000) + "]".repeat(50_000)],
    ["[1]", "arguments-not-object", "[1]"],
    ["null", "arguments-not-object", "null"],
    ['"text"', "arguments-not-object", '"text"'],
    [[{ b: 1, a: 2 }], "arguments-not-object", '[{"a":2,"b":1}]'],
    [true, "arguments-not-object", "true"],
  ])("keep arguments that are not an object as the text they are (%#)", (args, kind, malformedArguments) => {
    const messages = [calling(call("1", "f", args))];
    expect(readConversation(messages)[0]).toEqual({
      role: "assistant",
      content: "",
      toolCalls: [{ id: "1", name: "f", arguments: {}, malformedArguments }],
    });
    expect(repairsOf(messages)).toEqual({ [kind]: 1 });
  });

  it.each([
    [{ a: 1 }, { a: 1 }, "arguments-not-text"],
    ["", {}, "arguments-missing"],
    [null, {}, "arguments-missing"],
    [undefined, {}, "arguments-missing"],
  ])("take arguments %j as %j", (given, args, kind) => {
    const messages = [calling(call("1", "f", given))];
    expect(readConversation(messages)[0]).toMatchObject({ toolCalls: [{ id: "1", name: "f", arguments: args }] });
    expect(JSON.stringify(readConversation(messages))).not.toContain("malformed");
    expect(repairsOf(messages)).toEqual({ [kind]: 1 });
  });

  it.each([
    [null, "tool-calls-null"],
    [{ id: "1", function: { name: "f", arguments: "{}" } }, "tool-calls-not-list"],
  ])("may be %j where a list is expected", (calls, kind) => {
    const messages = [{ role: "assistant", content: "a", tool_calls: calls }];
    expect(repairsOf(messages)).toEqual({ [kind]: 1 });
    expect(readConversation(messages)).toMatchObject([{ content: "a" }]);
    expect(importOne(messages).cassette.entries[0]?.response.stopReason).toBe(calls === null ? "stop" : "toolUse");
  });

  it("leave no trace of an empty list", () => {
    expect(single({ role: "assistant", content: "a", tool_calls: [] })).toEqual({
      message: { role: "assistant", content: "a" },
      repairs: {},
    });
  });

  it("keep a call that is not an object, and one without a name", () => {
    const messages = [calling("what", { id: "2", function: { arguments: "{}" } })];
    expect(readConversation(messages)[0]).toMatchObject({
      toolCalls: [
        { id: "call_0_0", name: "unknown", arguments: {}, malformedArguments: '"what"' },
        { id: "2", name: "unknown", arguments: {} },
      ],
    });
    expect(repairsOf(messages)).toEqual({ "arguments-malformed": 1, "call-id-missing": 1, "tool-name-missing": 2 });
  });

  it("read a custom tool's input and a call without its inner object", () => {
    const messages = [
      calling(
        { id: "1", type: "custom", custom: { name: "grep", input: "a.*b" } },
        { id: "2", name: "f", arguments: "{}" },
      ),
    ];
    expect(readConversation(messages)[0]).toMatchObject({
      toolCalls: [
        { id: "1", name: "grep", arguments: {}, malformedArguments: "a.*b" },
        { id: "2", name: "f", arguments: {} },
      ],
    });
  });

  it("read the legacy function_call and its function message", () => {
    const messages = [
      { role: "assistant", content: null, function_call: { name: "f", arguments: '{"a":1}' } },
      { role: "function", name: "f", content: "1" },
      { role: "assistant", content: "done", function_call: null },
    ];
    expect(readConversation(messages)).toEqual([
      { role: "assistant", content: "", toolCalls: [{ id: "call_0_0", name: "f", arguments: { a: 1 } }] },
      { role: "tool", toolCallId: "call_0_0", name: "f", content: "1" },
      { role: "assistant", content: "done" },
    ]);
    expect(repairsOf(messages)).toEqual({ "content-null": 1, "function-call-legacy": 2 });
  });
});

describe("the rest of an OpenAI message", () => {
  it("keeps what the model thought and what it refused", () => {
    const messages = [
      { role: "assistant", content: "", reasoning_content: "hm", refusal: "no", audio: null },
      { role: "assistant", content: [{ type: "refusal", refusal: "never" }], reasoning: "so" },
    ];
    expect(readConversation(messages)).toEqual([
      { role: "assistant", content: "no", reasoning: [{ type: "text", text: "hm" }] },
      { role: "assistant", content: "never", reasoning: [{ type: "text", text: "so" }] },
    ]);
    expect(repairsOf(messages)).toEqual({ "refusal-joined": 2, "content-list-joined": 1 });
  });

  it("keeps thoughts apart that a list holds, and counts a list of something else", () => {
    const messages = [
      { role: "assistant", content: "a", reasoning_content: ["hm", "", "so"] },
      { role: "assistant", content: "b", reasoning_content: ["hm", { step: 1 }] },
      { role: "assistant", content: "c", reasoning_content: [""] },
    ];
    expect(readConversation(messages)).toEqual([
      {
        role: "assistant",
        content: "a",
        reasoning: [
          { type: "text", text: "hm" },
          { type: "text", text: "so" },
        ],
      },
      { role: "assistant", content: "b" },
      { role: "assistant", content: "c" },
    ]);
    expect(repairsOf(messages)).toEqual({ "field-dropped": 1 });
  });

  it("counts a field that has no place, when there is something in it", () => {
    const messages = [
      { role: "user", content: "a", name: "ann" },
      { role: "assistant", content: "b", annotations: [], audio: { id: 1 }, reasoning: { steps: 1 } },
    ];
    expect(repairsOf(messages)).toEqual({ "field-dropped": 3 });
  });

  it("counts what a part or a call has in addition to its content", () => {
    const tool = { name: "f", arguments: "{}", strict: true };
    const calls = [{ id: "1", type: "function", index: 0, function: tool, extra_content: { signature: "x" } }];
    const cited = { type: "text", text: "b", annotations: [{ url: "u" }], logprobs: [] };
    expect(repairsOf([{ role: "assistant", content: [cited], tool_calls: calls }])).toEqual({
      "content-list-joined": 1,
      "field-dropped": 3,
    });
  });

  it("keeps the tokens it used", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 2 },
    };
    const { cassette } = importOne([
      { role: "assistant", content: "a", usage },
      { role: "assistant", content: "b", usage: {} },
    ]);
    expect(cassette.entries.map((entry) => entry.response.usage)).toEqual([
      { inputTokens: 10, outputTokens: 5, cacheReadTokens: 4, reasoningTokens: 2 },
      undefined,
    ]);
  });
});
