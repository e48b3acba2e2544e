import { describe, expect, it } from "vitest";
import type { LlmMessage } from "../../../../src/core/model/message.js";
import type { LlmSettings } from "../../../../src/core/model/provider.js";
import { encodeOpenAi } from "../../../../src/core/vendors/openai/encode.js";
import { hello, weatherTool } from "../../../support/wire.js";

const encoding = { model: "gpt-4o", maxTokensField: "max_completion_tokens" } as const;
const encode = (messages: LlmMessage[]) => encodeOpenAi({ messages }, encoding)["messages"];
const withSettings = (settings: LlmSettings, tools = [weatherTool]) =>
  encodeOpenAi({ ...hello, tools, settings }, encoding);

describe("encodeOpenAi", () => {
  it("writes nothing that was not asked for", () => {
    expect(encodeOpenAi(hello, encoding)).toEqual({ model: "gpt-4o", messages: [{ role: "user", content: "hello" }] });
    expect(encodeOpenAi({ ...hello, tools: [], settings: { stop: [], toolChoice: "auto" } }, encoding)).toEqual(
      encodeOpenAi(hello, encoding),
    );
  });

  it("PLK-20 writes parallel tool calls and their results natively", () => {
    const messages: LlmMessage[] = [
      { role: "system", content: "be brief" },
      { role: "user", content: "weather?" },
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { id: "a", name: "weather", arguments: { city: "Oslo" } },
          { id: "b", name: "weather", arguments: {} },
        ],
      },
      { role: "tool", toolCallId: "a", name: "weather", content: "rain" },
      { role: "tool", toolCallId: "b", name: "weather", content: "no city", isError: true },
      { role: "assistant", content: "It rains." },
    ];
    expect(encode(messages)).toEqual([
      { role: "system", content: "be brief" },
      { role: "user", content: "weather?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "a", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
          { id: "b", type: "function", function: { name: "weather", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "rain" },
      { role: "tool", tool_call_id: "b", content: "no city" },
      { role: "assistant", content: "It rains." },
    ]);
  });

  it("writes inline images as data URLs and others by their URL", () => {
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
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "image_url", image_url: { url: "https://example.com/x.png" } },
        ],
      },
    ]);
  });

  it("sends no reasoning back", () => {
    const message: LlmMessage = { role: "assistant", content: "hi", reasoning: [{ type: "text", text: "hm" }] };
    expect(encode([message])).toEqual([{ role: "assistant", content: "hi" }]);
  });

  it("sends a call that named no tool back under a name the vendor takes, and malformed arguments as none", () => {
    const call = { id: "a", name: "functions.weather now", arguments: {}, malformedArguments: "{oops" };
    const nameless = { id: "b", name: "", arguments: {} };
    expect(encode([{ role: "assistant", content: "", toolCalls: [call, nameless] }])).toMatchObject([
      {
        tool_calls: [
          { function: { name: "functions_weather_now", arguments: "{}" } },
          { function: { name: "unnamed" } },
        ],
      },
    ]);
  });

  it("maps every setting", () => {
    const schema = { type: "object" };
    const settings: LlmSettings = {
      model: "gpt-5",
      temperature: 0,
      topP: 0.5,
      maxTokens: 9,
      stop: ["END"],
      seed: 7,
      responseFormat: { name: "answer", schema },
    };
    expect(withSettings(settings, [])).toEqual({
      model: "gpt-5",
      messages: [{ role: "user", content: "hello" }],
      temperature: 0,
      top_p: 0.5,
      max_completion_tokens: 9,
      stop: ["END"],
      seed: 7,
      response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
    });
  });

  it("writes the limit of tokens under the older name for servers that know no other", () => {
    const older = { model: "m", maxTokensField: "max_tokens" } as const;
    expect(encodeOpenAi({ ...hello, settings: { maxTokens: 9 } }, older)).toMatchObject({ max_tokens: 9 });
  });

  it.each([
    ["auto", "auto"],
    ["none", "none"],
    ["required", "required"],
    [{ name: "weather" }, { type: "function", function: { name: "weather" } }],
  ] as const)("maps the tool choice %j", (toolChoice, tool_choice) => {
    const { name, description, schema } = weatherTool;
    expect(withSettings({ toolChoice })).toMatchObject({
      tools: [{ type: "function", function: { name, description, parameters: schema } }],
      tool_choice,
    });
  });
});
