import { describe, expect, it } from "vitest";
import { importOne, readConversation, repairsOf } from "../verify.js";

const format = "anthropic-messages" as const;
const toolUse = (id: string, name = "f", input: unknown = {}) => ({ type: "tool_use", id, name, input });
const toolResult = (id: string, content?: unknown, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});
const text = (words: string) => ({ type: "text", text: words });

function read(messages: unknown[], system?: unknown) {
  const record = { messages, system };
  const { "no-assistant-message": _, ...repairs } = repairsOf(record, { format });
  return { messages: readConversation(record, { format }), repairs };
}

describe("an Anthropic assistant message", () => {
  it("becomes text, calls and what the model thought", () => {
    const content = [
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "thinking", thinking: "so" },
      { type: "redacted_thinking", data: "xyz" },
      text("I will look."),
      toolUse("1", "look", { at: 1 }),
      toolUse("2", "look"),
    ];
    expect(read([{ role: "assistant", content }])).toEqual({
      messages: [
        {
          role: "assistant",
          content: "I will look.",
          toolCalls: [
            { id: "1", name: "look", arguments: { at: 1 } },
            { id: "2", name: "look", arguments: {} },
          ],
          reasoning: [
            { type: "text", text: "hm", signature: "sig" },
            { type: "text", text: "so" },
            { type: "redacted", data: "xyz" },
          ],
        },
      ],
      repairs: {},
    });
  });

  it("may be text", () => {
    expect(read([{ role: "assistant", content: "hi" }])).toEqual({
      messages: [{ role: "assistant", content: "hi" }],
      repairs: {},
    });
  });

  it("joins several texts, says when their order against the calls is lost, and keeps blocks it does not know", () => {
    const content = [text("a"), toolUse("1"), text("b"), { type: "server_tool_use", id: "s" }];
    expect(read([{ role: "assistant", content }])).toEqual({
      messages: [
        {
          role: "assistant",
          content: 'ab{"id":"s","type":"server_tool_use"}',
          toolCalls: [{ id: "1", name: "f", arguments: {} }],
        },
      ],
      repairs: { "content-list-joined": 1, "text-order-lost": 2, "part-unsupported": 1 },
    });
  });

  it("keeps an input that is not an object, and thinking without a text, as JSON text", () => {
    const content = [{ type: "thinking" }, { type: "redacted_thinking" }, toolUse("1", "f", [1])];
    expect(read([{ role: "assistant", content }])).toEqual({
      messages: [
        {
          role: "assistant",
          content: '{"type":"thinking"}{"type":"redacted_thinking"}',
          toolCalls: [{ id: "1", name: "f", arguments: {}, malformedArguments: "[1]" }],
        },
      ],
      repairs: { "part-unsupported": 2, "content-list-joined": 1, "arguments-not-object": 1 },
    });
  });

  it("keeps the tokens it used, cached ones among the input", () => {
    const usage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 10, cache_creation_input_tokens: 100 };
    const { cassette } = importOne({ messages: [{ role: "assistant", content: "a", usage }] }, { format });
    expect(cassette.entries[0]?.response.usage).toEqual({
      inputTokens: 111,
      outputTokens: 2,
      cacheReadTokens: 10,
      cacheWriteTokens: 100,
    });
  });
});

describe("an Anthropic user message", () => {
  const calls = { role: "assistant", content: [toolUse("1"), toolUse("2", "g")] };

  it("becomes a tool message for each result, then a user message", () => {
    const content = [
      toolResult("2", "two"),
      toolResult("1", [text("o"), text("ne")], { is_error: true, cache_control: { type: "ephemeral" } }),
      text("and"),
      text(" now?"),
    ];
    const { messages, repairs } = read([calls, { role: "user", content }]);
    expect(messages.slice(1)).toEqual([
      { role: "tool", toolCallId: "2", name: "g", content: "two" },
      { role: "tool", toolCallId: "1", name: "f", content: "one", isError: true },
      { role: "user", content: "and now?" },
    ]);
    expect(repairs).toEqual({ "content-list-joined": 2 });
  });

  it("keeps the order of results and text", () => {
    const content = [text("first"), toolResult("1", "one", { is_error: false }), text("last")];
    const { messages } = read([calls, { role: "user", content }]);
    expect(messages.slice(1)).toEqual([
      { role: "user", content: "first" },
      { role: "tool", toolCallId: "1", name: "f", content: "one" },
      { role: "user", content: "last" },
    ]);
  });

  it("keeps its images", () => {
    const content = [
      text("look"),
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "image", source: { type: "url", url: "https://example.test/a.png" } },
      { type: "image", source: { type: "file", file_id: "f" } },
    ];
    expect(read([{ role: "user", content }])).toEqual({
      messages: [
        {
          role: "user",
          content: [
            text("look"),
            { type: "image", mediaType: "image/png", data: "AAAA" },
            { type: "image", url: "https://example.test/a.png" },
            text('{"source":{"file_id":"f","type":"file"},"type":"image"}'),
          ],
        },
      ],
      repairs: { "part-unsupported": 1 },
    });
  });

  it("is kept when it is empty", () => {
    expect(read([{ role: "user", content: [] }]).messages).toEqual([{ role: "user", content: "" }]);
    expect(read([{ role: "user", content: null }]).repairs).toEqual({ "content-null": 1 });
  });

  it.each([
    [
      "an image",
      [{ type: "image", source: { type: "url", url: "u" } }],
      '{"source":{"type":"url","url":"u"},"type":"image"}',
      "part-unsupported",
    ],
    ["nothing", undefined, "", "content-missing"],
    ["null", null, "", "content-null"],
  ])("keeps a result that holds %s", (_, content, kept, kind) => {
    const { messages, repairs } = read([calls, { role: "user", content: [toolResult("1", content)] }]);
    expect(messages[1]).toEqual({ role: "tool", toolCallId: "1", name: "f", content: kept });
    expect(repairs).toEqual({ [kind]: 1 });
  });
});

describe("an Anthropic system prompt", () => {
  const answer = { role: "assistant", content: "a" };

  it.each([
    ["be kind", "be kind", {}],
    [[text("be kind")], "be kind", {}],
    [[text("be"), { ...text(" kind"), cache_control: {} }], "be kind", { "content-list-joined": 1 }],
  ])("%j is the first message", (system, content, repairs) => {
    expect(read([answer], system)).toEqual({ messages: [{ role: "system", content }, answer], repairs });
  });

  it("may be null, absent, or a message", () => {
    expect(read([answer], null)).toEqual(read([answer]));
    expect(read([{ role: "system", content: "s" }, answer]).messages[0]).toEqual({ role: "system", content: "s" });
  });
});

describe("other Anthropic messages", () => {
  it("are kept as a user's text", () => {
    const { messages, repairs } = read([{ role: "tool", content: "x" }, 7]);
    expect(messages).toEqual([
      { role: "user", content: '{"content":"x","role":"tool"}' },
      { role: "user", content: "7" },
    ]);
    expect(repairs).toEqual({ "role-unknown": 2 });
  });

  it("count what a block has in addition to its content", () => {
    const cited = { type: "text", text: "a", citations: [{ cited_text: "b" }], cache_control: { type: "ephemeral" } };
    const asked = { type: "tool_use", id: "1", name: "f", input: {}, caller: { type: "direct" } };
    const answered = { type: "tool_result", tool_use_id: "1", content: "x", mood: "good" };
    const messages = [
      { role: "assistant", content: [cited, asked] },
      { role: "user", content: [answered] },
    ];
    expect(read(messages).repairs).toEqual({ "field-dropped": 3 });
  });

  it("count a field that has no place", () => {
    expect(read([{ role: "assistant", content: "a", stop_reason: "end_turn", id: null }]).repairs).toEqual({
      "field-dropped": 1,
    });
  });
});
