// Laws of the conversion between our conversations and the AI SDK's: there and back nothing is lost but what is listed here.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmTurnResponse, StopReason } from "../../src/core/model/provider.js";
import { fromAiSdk } from "../../src/harness/adapters/ai-sdk/from-ai-sdk.js";
import { readPrompt } from "../../src/harness/adapters/ai-sdk/prompt/read.js";
import { writePrompt } from "../../src/harness/adapters/ai-sdk/prompt/write.js";
import { readResult } from "../../src/harness/adapters/ai-sdk/result.js";
import { toAiSdk } from "../../src/harness/adapters/ai-sdk/to-ai-sdk.js";
import { scriptedModel, type Part } from "../support/ai-sdk.js";
import { json, jsonObject, text } from "../support/arbitraries.js";
import { conversation } from "../../src/harness/arbitraries/messages.js";

const versions = fc.constantFrom("v2", "v3", "v4");

/** What an AI SDK prompt does not tell apart. */
function listedLosses(message: LlmMessage): LlmMessage {
  if (message.role === "user" && Array.isArray(message.content)) {
    // One plain text is the same as a list of it.
    const [part] = message.content;
    if (message.content.length === 1 && part?.type === "text") return { ...message, content: part.text };
  }
  return message;
}

describe("a conversation of ours", () => {
  it("comes back from a prompt of any version", () => {
    fc.assert(
      fc.property(conversation(), versions, (messages, version) => {
        expect(readPrompt(writePrompt(messages, version))).toEqual(messages.map(listedLosses));
      }),
    );
  });

  it("answers through a model of any version, whole and streamed, with the same response", async () => {
    const stops = fc.constantFrom<StopReason>("stop", "length", "contentFilter", "error");
    await fc.assert(
      fc.asyncProperty(conversation(), stops, versions, async (messages, stop, version) => {
        const message = messages.at(-1) as LlmTurnResponse["message"];
        const hasCalls = message.toolCalls !== undefined;
        const response: LlmTurnResponse = {
          message,
          ...(hasCalls ? {} : { finalAnswer: message.content }),
          stopReason: hasCalls && stop === "stop" ? "toolUse" : stop,
          usage: { inputTokens: 5, outputTokens: 4, cacheReadTokens: 2, reasoningTokens: 1 },
          model: "m",
        };
        const provider = { name: "a:b", turn: async () => structuredClone(response) };
        const back = fromAiSdk(toAiSdk(provider, { specificationVersion: version }));
        expect(await back.turn({ messages })).toEqual(response);
        const events = [];
        for await (const event of back.stream?.({ messages }) ?? []) events.push(event);
        expect(events.at(-1)).toEqual({ type: "response", response });
      }),
    );
  });
});

const metadata = fc.option(
  jsonObject.map((fields) => ({ acme: fields })),
  { nil: undefined },
);
const parts: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant("text"), text: text.filter((said) => said !== ""), providerMetadata: metadata }),
  fc.record({ type: fc.constant("reasoning"), text, providerMetadata: metadata }),
  fc.record({
    type: fc.constant("tool-call"),
    toolCallId: fc.uuid(),
    toolName: text,
    input: jsonObject.map((given) => JSON.stringify(given)),
    providerExecuted: fc.constantFrom(undefined, true),
    providerMetadata: metadata,
  }),
  fc.record({ type: fc.constant("tool-result"), toolCallId: text, toolName: text, result: json }),
  fc.record({ type: fc.constant("source"), sourceType: fc.constant("url"), id: text, url: fc.webUrl() }),
  fc.record({ type: fc.constant("file"), mediaType: fc.constant("image/png"), data: fc.base64String() }),
);

describe("an answer of the SDK", () => {
  it("comes back part by part, in its order, whole and streamed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(parts, { maxLength: 6 }), async (content) => {
        const clean = JSON.parse(JSON.stringify(content)) as Part[];
        const response = readResult({ content: clean, finishReason: { unified: "stop" } });
        const model = toAiSdk({ turn: async () => response });
        expect((await model.doGenerate({ prompt: [] })).content).toEqual(clean);
        const { message } = await fromAiSdk(model).turn({ messages: [] });
        expect(message).toEqual(response.message);
        const events = [];
        const live = fromAiSdk(scriptedModel([{ content: clean, finish: "stop" }]));
        for await (const event of live.stream?.({ messages: [] }) ?? []) events.push(event);
        expect(events.at(-1)).toMatchObject({ type: "response", response: { message: response.message } });
      }),
    );
  });
});
