import { describe, expect, it } from "vitest";
import type { LlmMessage } from "../../../../src/core/model/message.js";
import type { LlmTurnResponse } from "../../../../src/core/model/provider.js";
import { openai } from "../../../../src/core/vendors/openai/vendor.js";
import { isMistralModel } from "../../../../src/core/vendors/openai/mistral.js";
import { VENDORS } from "../../../../src/core/vendors/vendors.js";

const model = "magistral-medium-latest";
const options = { apiKey: "k", model };
const bodyAt = (host: string, messages: LlmMessage[]) =>
  openai.call({ messages, settings: { seed: 3, maxTokens: 5 } }, { options, key: "", host, streaming: false }).body;
const read = (text: string, isStream: boolean) =>
  VENDORS.openai.read({ bytes: new TextEncoder().encode(text), isStream, isCut: false });

describe("a request to Mistral", () => {
  const call = { id: "toolu_1", name: "weather", arguments: {} };
  const messages: LlmMessage[] = [
    {
      role: "assistant",
      content: "I look.",
      reasoning: [{ type: "text", text: "hm", signature: "s" }],
      toolCalls: [call, { ...call, id: "D681PevKs" }],
    },
    { role: "tool", toolCallId: "toolu_1", name: "weather", content: "rain" },
    { role: "tool", toolCallId: "D681PevKs", name: "weather", content: "rain" },
    { role: "user", content: "q" },
  ];

  it("has Mistral's names, ids of nine characters, and thoughts as parts", () => {
    const body = bodyAt("api.mistral.ai", messages);
    expect(body).toMatchObject({ random_seed: 3, max_tokens: 5 });
    expect(body["seed"]).toBeUndefined();
    expect(body["messages"]).toMatchObject([
      {
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "hm" }], signature: "s" },
          { type: "text", text: "I look." },
        ],
        tool_calls: [{ id: "call00000" }, { id: "D681PevKs" }],
      },
      { tool_call_id: "call00000" },
      { tool_call_id: "D681PevKs" },
      { role: "user", content: "q" },
    ]);
  });

  it("is OpenAI's at any other host", () => {
    const body = bodyAt("openrouter.ai", messages);
    expect(body).toMatchObject({ seed: 3 });
    expect(body["messages"]).toMatchObject([{ content: "I look.", tool_calls: [{ id: "toolu_1" }, {}] }, {}, {}, {}]);
  });

  it("keeps fields without a setting, and reads arguments as an object", () => {
    const { request } = VENDORS.openai.parse({
      ...{ model, random_seed: 1, safe_prompt: true, prompt_mode: "reasoning", reasoning_effort: "high" },
      tool_choice: "any",
      tools: [{ function: { name: "weather", parameters: {} } }],
      messages: [
        { role: "user", content: [{ type: "image_url", image_url: "https://a.test/i.png" }] },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "c", function: { name: "weather", arguments: { a: 1 } } }],
        },
        { role: "assistant", content: "Once", prefix: true },
      ],
    });
    expect(request.settings).toEqual({
      model,
      toolChoice: "required",
      openai: { random_seed: 1, safe_prompt: true, prompt_mode: "reasoning", reasoning_effort: "high" },
    });
    expect(request.messages).toMatchObject([
      { content: [{ type: "image", url: "https://a.test/i.png" }] },
      { toolCalls: [{ arguments: { a: 1 } }] },
      { content: "Once", openai: { prefix: true } },
    ]);
  });
});

describe("an answer of Mistral", () => {
  const answer: LlmTurnResponse = {
    message: { role: "assistant", content: "Rain.", reasoning: [{ type: "text", text: "hm", signature: "s" }] },
    finalAnswer: "Rain.",
    stopReason: "stop",
    usage: { inputTokens: 1, outputTokens: 2 },
    model,
  };
  const stamp = { id: "1", createdAt: 0, model };

  it("is written in the form that it had, whole and streamed", () => {
    const body = VENDORS.openai.write(answer, stamp);
    expect(body).toMatchObject({
      choices: [
        {
          message: {
            content: [
              { type: "thinking", thinking: [{ type: "text", text: "hm" }], signature: "s" },
              { type: "text", text: "Rain." },
            ],
          },
        },
      ],
    });
    expect(read(JSON.stringify(body), false)).toEqual(answer);
    expect(read(VENDORS.openai.stream(answer, stamp).join(""), true)).toEqual(answer);
  });

  it("sends calls whole, and a usage in any case, without which its client fails", () => {
    const toolCalls = [{ id: "D681PevKs", name: "weather", arguments: { city: "Oslo" } }];
    const called = { message: { role: "assistant" as const, content: "", toolCalls }, stopReason: "toolUse" as const };
    const parts = VENDORS.openai.stream(called, stamp).filter((text) => String(text).includes('tool_calls":[{'));
    expect(parts).toHaveLength(1);
    const usage = { inputTokens: 0, outputTokens: 0 };
    expect(read(JSON.stringify(VENDORS.openai.write(called, stamp)), false)).toEqual({ ...called, model, usage });
  });

  it.each([
    ["mistral-small-latest", true],
    ["open-mixtral-8x7b", true],
    ["ministral-3b-latest", true],
    ["codestral-2508", true],
    ["mistralai/mistral-small", false],
    ["mistral.mistral-large-2402-v1:0", false],
    ["gpt-4o", false],
  ])("of the model %s has the dialect: %s", (name, expected) => {
    expect(isMistralModel(name)).toBe(expected);
  });
});
