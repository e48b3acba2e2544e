// Laws of the way to LangChain and back. Listed loss: calls whose arguments were not an object come after the others.

import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AssistantMessage, LlmMessage } from "../../src/core/model/message.js";
import type { LlmStreamEvent, LlmTurnResponse } from "../../src/core/model/provider.js";
import {
  cassetteChatModel,
  fromLangChain,
  fromLangChainMessages,
  toLangChainMessages,
} from "../../src/entry/langchain.js";
import { answerOf } from "../../src/harness/arbitraries/cassettes.js";
import { conversation } from "../../src/harness/arbitraries/messages.js";

/** The message with its calls as LangChain can order them. */
function ordered(message: LlmMessage): LlmMessage {
  if (message.role !== "assistant" || message.toolCalls === undefined) return message;
  const isTorn = ({ malformedArguments }: { malformedArguments?: string }) =>
    malformedArguments === undefined ? 0 : 1;
  return { ...message, toolCalls: message.toolCalls.toSorted((left, right) => isTorn(left) - isTorn(right)) };
}

const said = conversation().map(
  (messages) => messages.findLast(({ role }) => role === "assistant") as AssistantMessage,
);

/** A response as a provider streams it: thoughts, text and calls in pieces of up to `size` characters. */
async function* streamed(response: LlmTurnResponse, size: number): AsyncGenerator<LlmStreamEvent> {
  const { content, reasoning = [], toolCalls = [] } = response.message;
  const cut = (text: string) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  for (const thought of reasoning) {
    if (thought.type === "text") for (const text of cut(thought.text)) yield { type: "reasoning-delta", text };
  }
  for (const text of cut(content)) yield { type: "text-delta", text };
  for (const [index, call] of toolCalls.entries()) {
    const { id, name, arguments: args, malformedArguments } = call;
    yield { type: "tool-call-delta", index, id, name, argumentsText: malformedArguments ?? JSON.stringify(args) };
  }
  yield { type: "response", response };
}

/** Without thoughts that have no words: a stream has no piece of one. */
function withWords({ reasoning = [], ...message }: AssistantMessage): AssistantMessage {
  const kept = reasoning.filter((thought) => thought.type !== "text" || thought.text !== "");
  return kept.length === 0 ? message : { ...message, reasoning: kept };
}

describe("messages of LangChain", () => {
  it("lose nothing on the way there and back", () => {
    fc.assert(
      fc.property(conversation(), (messages) => {
        expect(fromLangChainMessages(toLangChainMessages(messages))).toEqual(messages.map(ordered));
      }),
    );
  });

  it("lose nothing as an answer, whole", async () => {
    await fc.assert(
      fc.asyncProperty(said, async (message) => {
        const response = {
          ...answerOf(message),
          usage: { inputTokens: 3, outputTokens: 1, reasoningTokens: 1 },
          costUsd: 0.5,
        };
        const model = cassetteChatModel({ turn: async () => response });
        const [back] = fromLangChainMessages([(await model.invoke("Hi")) as unknown as AIMessage]);
        expect(back).toEqual(ordered(message));
        const again = await fromLangChain(model).turn({ messages: [{ role: "user", content: "Hi" }] });
        expect(again).toEqual({ ...response, message: ordered(message) });
      }),
    );
  });

  it("lose nothing as an answer, streamed", async () => {
    await fc.assert(
      fc.asyncProperty(said, fc.integer({ min: 1, max: 8 }), async (message, size) => {
        const response = answerOf(message);
        const model = cassetteChatModel({
          turn: async () => response,
          stream: () => streamed(response, size),
        });
        let whole: AIMessageChunk | undefined;
        for await (const chunk of await model.stream("Hi")) whole = whole === undefined ? chunk : whole.concat(chunk);
        const [back] = fromLangChainMessages([whole as AIMessageChunk]);
        expect(withWords(back as AssistantMessage)).toEqual(withWords(ordered(message) as AssistantMessage));
      }),
    );
  });
});
