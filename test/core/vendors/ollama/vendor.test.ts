import { describe, expect, it } from "vitest";
import type { LlmMessage } from "../../../../src/core/model/message.js";
import type { LlmSettings } from "../../../../src/core/model/provider.js";
import { decodeOllama } from "../../../../src/core/vendors/ollama/decode.js";
import { encodeOllama } from "../../../../src/core/vendors/ollama/encode.js";
import { ollamaProvider } from "../../../../src/core/vendors/providers.js";
import { agentErrorOf, hello, weatherTool } from "../../../support/wire.js";

const encoding = { model: "llama3.1" };
const encode = (messages: LlmMessage[]) => encodeOllama({ messages }, encoding)["messages"];

describe("ollamaProvider", () => {
  it("PLK-25 needs a model only, and calls this machine by default", async () => {
    const urls: string[] = [];
    const fetch = async (url: unknown) => {
      urls.push(String(url));
      return Response.json({ message: { role: "assistant", content: "hi" }, done: true });
    };
    const provider = ollamaProvider({ model: "llama3.1", fetch });
    const response = await provider.turn(hello);
    expect(provider.name).toBe("ollama:llama3.1");
    expect(urls).toEqual(["http://localhost:11434/api/chat"]);
    expect(response).toStrictEqual({
      message: { role: "assistant", content: "hi" },
      finalAnswer: "hi",
      stopReason: "stop",
    });
  });
});

describe("encodeOllama", () => {
  it("writes nothing that was not asked for", () => {
    expect(encodeOllama(hello, encoding)).toEqual({
      model: "llama3.1",
      stream: false,
      messages: [{ role: "user", content: "hello" }],
    });
  });

  it("PLK-20 writes tool calls, results and thoughts natively", () => {
    const messages: LlmMessage[] = [
      { role: "system", content: "be brief" },
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "a", name: "weather", arguments: { city: "Oslo" } }],
        reasoning: [{ type: "text", text: "hm" }],
      },
      { role: "tool", toolCallId: "a", name: "weather", content: "rain" },
    ];
    expect(encode(messages)).toEqual([
      { role: "system", content: "be brief" },
      {
        role: "assistant",
        content: "",
        thinking: "hm",
        tool_calls: [{ id: "a", function: { name: "weather", arguments: { city: "Oslo" } } }],
      },
      { role: "tool", content: "rain", tool_name: "weather", tool_call_id: "a" },
    ]);
  });

  it("writes inline images next to the text, and refuses one by URL", async () => {
    const image = (part: LlmMessage["content"]): LlmMessage[] => [{ role: "user", content: part } as LlmMessage];
    const text = { type: "text", text: "look" } as const;
    expect(encode(image([text, { type: "image", mediaType: "image/png", data: "AAAA" }]))).toEqual([
      { role: "user", content: "look", images: ["AAAA"] },
    ]);
    const error = await agentErrorOf(() => encode(image([text, { type: "image", url: "https://example.com/x.png" }])));
    expect(error).toMatchObject({ code: "invalid-options" });
  });

  it("maps every setting", () => {
    const schema = { type: "object" };
    const settings: LlmSettings = {
      model: "qwen3",
      temperature: 0,
      topP: 0.5,
      maxTokens: 9,
      stop: ["END"],
      seed: 7,
      responseFormat: { name: "answer", schema },
    };
    expect(encodeOllama({ ...hello, settings }, encoding)).toEqual({
      model: "qwen3",
      stream: false,
      messages: [{ role: "user", content: "hello" }],
      format: schema,
      options: { temperature: 0, top_p: 0.5, num_predict: 9, stop: ["END"], seed: 7 },
    });
  });

  it.each([
    ["auto", ["weather", "time"]],
    ["required", ["weather", "time"]],
    ["none", undefined],
    [{ name: "time" }, ["time"]],
  ] as const)("offers the tools that the choice %j leaves", (toolChoice, names) => {
    const tools = [weatherTool, { ...weatherTool, name: "time" }];
    const body = encodeOllama({ ...hello, tools, settings: { toolChoice } }, encoding);
    const offered = body["tools"] as { function: { name: string } }[] | undefined;
    expect(offered?.map((tool) => tool.function.name)).toEqual(names);
  });
});

describe("decodeOllama", () => {
  it("reads calls with or without ids, arguments as an object or as text", () => {
    const tool_calls = [
      { function: { index: 0, name: "weather", arguments: { city: "Oslo" } } },
      { id: "call_x", function: { name: "weather", arguments: '{"city":"Rome"}' } },
    ];
    const body = {
      model: "qwen3",
      message: { content: "", thinking: "hm", tool_calls },
      done: true,
      done_reason: "stop",
    };
    expect(decodeOllama({ ...body, prompt_eval_count: 4, eval_count: 2 })).toStrictEqual({
      message: {
        role: "assistant",
        content: "",
        toolCalls: [
          { id: "call_0", name: "weather", arguments: { city: "Oslo" } },
          { id: "call_x", name: "weather", arguments: { city: "Rome" } },
        ],
        reasoning: [{ type: "text", text: "hm" }],
      },
      stopReason: "toolUse",
      usage: { inputTokens: 4, outputTokens: 2 },
      model: "qwen3",
    });
  });

  it.each([
    [{ done: true, done_reason: "stop" }, "stop"],
    [{ done: true }, "stop"],
    [{ done: true, done_reason: "length" }, "length"],
    [{ done: false }, "length"],
    [{ done: true, done_reason: "load" }, "stop"],
  ])("maps %j to %s", (fields, stopReason) => {
    expect(decodeOllama({ message: { content: "x" }, ...fields }).stopReason).toBe(stopReason);
  });

  it("counts a prompt that was wholly cached as zero", () => {
    expect(decodeOllama({ message: { content: "x" }, eval_count: 2 }).usage).toEqual({
      inputTokens: 0,
      outputTokens: 2,
    });
  });

  it.each([
    [{ error: "model not found" }, "model not found"],
    [{ response: "x" }, "has no message"],
  ])("refuses %j", async (body, words) => {
    const error = await agentErrorOf(() => decodeOllama(body));
    expect(error).toMatchObject({ code: "provider-response" });
    expect(error.message).toContain(words);
  });
});
