import { describe, expect, it } from "vitest";
import type { LlmMessage, LlmToolCall } from "../../../../src/core/model/message.js";
import type { LlmSettings } from "../../../../src/core/model/provider.js";
import { anthropicProvider } from "../../../../src/core/vendors/providers.js";
import { encodeAnthropic } from "../../../../src/core/vendors/anthropic/encode.js";
import { hello, weatherTool } from "../../../support/wire.js";

const encoding = { model: "claude", maxTokens: 4096 };
const encode = (messages: LlmMessage[]) => encodeAnthropic({ messages }, encoding)["messages"];
const callOf = (id: string, name = "weather"): LlmToolCall => ({ id, name, arguments: { city: "Oslo" } });
const resultOf = (toolCallId: string, content = "rain"): LlmMessage => ({
  role: "tool",
  toolCallId,
  name: "weather",
  content,
});

describe("encodeAnthropic", () => {
  it("writes nothing that was not asked for but the token limit", () => {
    expect(encodeAnthropic(hello, encoding)).toEqual({
      model: "claude",
      max_tokens: 4096,
      messages: [{ role: "user", content: "hello" }],
    });
  });

  it("lifts system messages to the top, wherever they stand", () => {
    const messages: LlmMessage[] = [
      { role: "system", content: "be brief" },
      { role: "user", content: "hello" },
      { role: "system", content: "" },
      { role: "system", content: "be kind" },
    ];
    expect(encodeAnthropic({ messages }, encoding)).toMatchObject({
      system: "be brief\n\nbe kind",
      messages: [{ role: "user", content: "hello" }],
    });
  });

  it("PLK-20 writes parallel tool calls natively and merges their results into one user message", () => {
    const messages: LlmMessage[] = [
      { role: "user", content: "weather?" },
      { role: "assistant", content: "Let me see.", toolCalls: [callOf("a"), callOf("b")] },
      resultOf("a"),
      { ...resultOf("b", "no city"), isError: true } as LlmMessage,
      { role: "user", content: "and now?" },
    ];
    const tool_use = { type: "tool_use", name: "weather", input: { city: "Oslo" } };
    expect(encode(messages)).toEqual([
      { role: "user", content: "weather?" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me see." },
          { ...tool_use, id: "a" },
          { ...tool_use, id: "b" },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "rain" },
          { type: "tool_result", tool_use_id: "b", content: "no city", is_error: true },
        ],
      },
      { role: "user", content: "and now?" },
    ]);
  });

  it("keeps the results of two turns in two messages", () => {
    const turn = (id: string): LlmMessage[] => [
      { role: "assistant", content: "", toolCalls: [callOf(id)] },
      resultOf(id),
    ];
    expect(encode([...turn("a"), ...turn("b")])).toMatchObject([
      { role: "assistant" },
      { role: "user", content: [{ tool_use_id: "a" }] },
      { role: "assistant" },
      { role: "user", content: [{ tool_use_id: "b" }] },
    ]);
  });

  it("gives thoughts back first and unchanged, and leaves out those of another vendor", () => {
    const message: LlmMessage = {
      role: "assistant",
      content: "hi",
      reasoning: [
        { type: "text", text: "hm", signature: "c2ln" },
        { type: "redacted", data: "xxxx" },
        { type: "text", text: "unsigned" },
      ],
    };
    expect(encode([message])).toEqual([
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "c2ln" },
          { type: "redacted_thinking", data: "xxxx" },
          { type: "text", text: "hi" },
        ],
      },
    ]);
  });

  it("leaves out a message in which the model said nothing", () => {
    expect(encode([{ role: "assistant", content: "" }, ...hello.messages])).toEqual([
      { role: "user", content: "hello" },
    ]);
  });

  it("gives an error without words a word", () => {
    expect(encode([{ ...resultOf("a", ""), isError: true } as LlmMessage])).toMatchObject([
      { content: [{ content: "error", is_error: true }] },
    ]);
  });

  it("makes ids unique and plain over the whole conversation, each result next to its call", () => {
    const turn: LlmMessage[] = [{ role: "assistant", content: "", toolCalls: [callOf("call:0")] }, resultOf("call:0")];
    expect(encode([...turn, ...turn])).toMatchObject([
      { content: [{ id: "call_0" }] },
      { content: [{ tool_use_id: "call_0" }] },
      { content: [{ id: "call_0_2" }] },
      { content: [{ tool_use_id: "call_0_2" }] },
    ]);
  });

  it("writes images inline or by URL", () => {
    const content: LlmMessage = {
      role: "user",
      content: [
        { type: "text", text: "what is this?" },
        { type: "image", mediaType: "image/png", data: "AAAA" },
        { type: "image", url: "https://example.com/x.png" },
      ],
    };
    expect(encode([content])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "what is this?" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          { type: "image", source: { type: "url", url: "https://example.com/x.png" } },
        ],
      },
    ]);
  });

  it("maps every setting it has a field for", () => {
    const schema = { type: "object", additionalProperties: false };
    const settings: LlmSettings = {
      model: "claude-next",
      temperature: 0,
      topP: 0.5,
      maxTokens: 9,
      stop: ["END"],
      seed: 7,
      responseFormat: { name: "answer", schema },
    };
    expect(encodeAnthropic({ ...hello, settings }, encoding)).toEqual({
      model: "claude-next",
      max_tokens: 9,
      messages: [{ role: "user", content: "hello" }],
      temperature: 0,
      top_p: 0.5,
      stop_sequences: ["END"],
      output_config: { format: { type: "json_schema", schema } },
    });
  });

  it.each([
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    ["required", { type: "any" }],
    [{ name: "weather" }, { type: "tool", name: "weather" }],
  ] as const)("maps the tool choice %j", (toolChoice, tool_choice) => {
    const { name, description, schema } = weatherTool;
    expect(encodeAnthropic({ ...hello, tools: [weatherTool], settings: { toolChoice } }, encoding)).toMatchObject({
      tools: [{ name, description, input_schema: schema }],
      tool_choice,
    });
    expect(encodeAnthropic({ ...hello, settings: { toolChoice } }, encoding)).not.toHaveProperty("tool_choice");
  });
});

describe("thinking and caching", () => {
  const system = (content: string): LlmMessage => ({ role: "system", content });
  const user: LlmMessage = { role: "user", content: "hello" };

  it("sends a budget for thinking without the settings that the API refuses together with it", () => {
    const settings: LlmSettings = { thinkingBudget: 2048, temperature: 1, topP: 0.5, stop: ["x"] };
    const body = encodeAnthropic({ messages: [user], settings }, encoding);
    expect(body).toMatchObject({ thinking: { type: "enabled", budget_tokens: 2048 }, stop_sequences: ["x"] });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(["temperature"]));
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(["top_p"]));
  });

  it.each([1023, 1024.5, "2048", 4096, 5000])(
    "refuses the budget %s before anything is sent",
    async (thinkingBudget) => {
      const provider = anthropicProvider({ apiKey: "k", model: "m", fetch: () => Promise.reject(new Error("sent")) });
      const request = { messages: [user], settings: { thinkingBudget } as LlmSettings };
      await expect(provider.turn(request)).rejects.toMatchObject({ code: "invalid-options" });
    },
  );

  it.each<[LlmSettings["toolChoice"], string]>([
    ["required", "refused"],
    [{ name: "look" }, "refused"],
    ["auto", "sent"],
    ["none", "sent"],
    [undefined, "sent"],
  ])("a budget for thinking with the choice %j is %s", async (toolChoice, expected) => {
    const provider = anthropicProvider({ apiKey: "k", model: "m", fetch: () => Promise.reject(new Error("sent")) });
    const settings: LlmSettings = { thinkingBudget: 2048, ...(toolChoice === undefined ? {} : { toolChoice }) };
    const tools = [{ name: "look", description: "", schema: { type: "object" } }];
    const error: unknown = await provider
      .turn({ messages: [user], tools, settings })
      .catch((thrown: unknown) => thrown);
    const isRefused = (error as { code: string }).code === "invalid-options";
    expect(isRefused).toBe(expected === "refused");
    if (isRefused) expect(String(error)).toContain("forces a tool call");
  });

  it("marks the last leading system message, so that a trailing one changes nothing before the mark", () => {
    const messages = [system("a"), system("b"), user, system("now")];
    expect(encodeAnthropic({ messages }, { ...encoding, promptCaching: true })["system"]).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b", cache_control: { type: "ephemeral" } },
      { type: "text", text: "now" },
    ]);
    expect(encodeAnthropic({ messages }, encoding)["system"]).toBe("a\n\nb\n\nnow");
    expect(encodeAnthropic({ messages: [user] }, { ...encoding, promptCaching: true })).not.toHaveProperty("system");
  });
});
