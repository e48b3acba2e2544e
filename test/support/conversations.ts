// Cassettes from prompts and answers written down as they are, and arbitrary conversations to make them of.

import fc from "fast-check";
import { buildCassette, type BuiltTurn } from "../../src/cassette/build.js";
import type { CassetteExtensions, CassetteV2 } from "../../src/cassette/format.js";
import { createPromptTracker } from "../../src/cassette/prompt.js";
import type { ContentPart, LlmMessage, LlmToolCall, Reasoning } from "../../src/core/model/message.js";
import type { LlmTurnResponse } from "../../src/core/model/provider.js";
import { jsonObject, text } from "./arbitraries.js";

/** A turn as it was asked and answered. */
export interface Asked {
  prompt: readonly LlmMessage[];
  response: LlmTurnResponse;
}

/** A cassette of these turns. */
export function cassetteOf(
  turns: readonly Asked[],
  extensions: CassetteExtensions = {},
  head: Partial<Pick<CassetteV2, "recordedProvider" | "recordedAt" | "agentId">> = {},
): CassetteV2 {
  const tracker = createPromptTracker();
  const built = turns.map(({ prompt, response }): BuiltTurn => {
    const { keep, promptHash } = tracker.next(prompt);
    return { promptHash, prompt: { keep, messages: tracker.since(keep) }, response };
  });
  return buildCassette(
    {
      recordedAt: "2026-11-20T12:00:00.000Z",
      recordedProvider: "openai:gpt-4o",
      cassetteId: "0123456789abcdef0123456789abcdef",
      extensions,
      ...head,
    },
    built,
  );
}

/** A response with this message, as a model without further news gives it. */
export function answer(message: Extract<LlmMessage, { role: "assistant" }>): LlmTurnResponse {
  const asksTools = (message.toolCalls ?? []).length > 0;
  return {
    message,
    ...(asksTools ? {} : { finalAnswer: message.content }),
    stopReason: asksTools ? "toolUse" : "stop",
  };
}

/** One turn for each assistant message, asked with everything before it. */
export function turnsOf(messages: readonly LlmMessage[]): Asked[] {
  return messages.flatMap((message, index) =>
    message.role === "assistant" ? [{ prompt: messages.slice(0, index), response: answer(message) }] : [],
  );
}

const part: fc.Arbitrary<ContentPart> = fc.oneof(
  text.map((content): ContentPart => ({ type: "text", text: content })),
  fc.constantFrom<ContentPart>(
    { type: "image", url: "https://example.com/a.png" },
    { type: "image", mediaType: "image/png", data: "aGk=" },
  ),
);
const reasoning: fc.Arbitrary<Reasoning> = fc.oneof(
  fc
    .record({ text, signature: text }, { requiredKeys: ["text"] })
    .map((thought): Reasoning => ({ type: "text", ...thought })),
  text.map((data): Reasoning => ({ type: "redacted", data })),
);
const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom("look", "send_mail") }, { weight: 1, arbitrary: text });
const call = fc.record(
  { name, arguments: jsonObject, malformedArguments: fc.constantFrom("{torn", "[1]") },
  { requiredKeys: ["name", "arguments"] },
);
const result = fc.record({ content: text, isError: fc.constant(true as const) }, { requiredKeys: ["content"] });
const round = fc.record({
  content: text,
  calls: fc.array(fc.tuple(call, result), { maxLength: 3 }),
  reasoning: fc.array(reasoning, { maxLength: 2 }),
  next: fc.oneof(text, fc.array(part, { minLength: 1, maxLength: 3 })),
});

export interface ConversationOptions {
  /** Makes the id of the nth call of a conversation. */
  idOf?: (index: number) => string;
}

/** A conversation of up to four answers, every call with its result; it ends with an answer. */
export function conversation({ idOf = (index) => `call-${index}` }: ConversationOptions = {}): fc.Arbitrary<
  LlmMessage[]
> {
  return fc
    .record({
      systems: fc.array(text, { maxLength: 2 }),
      goal: fc.oneof(text, fc.array(part, { minLength: 1, maxLength: 2 })),
      rounds: fc.array(round, { minLength: 1, maxLength: 4 }),
    })
    .map(({ systems, goal, rounds }) => {
      const messages: LlmMessage[] = systems.map((content) => ({ role: "system", content }));
      messages.push({ role: "user", content: goal });
      let used = 0;
      for (const [index, { content, calls, reasoning: thoughts, next }] of rounds.entries()) {
        const isLast = index === rounds.length - 1;
        const named = calls.map(([asked, given]) => ({ id: idOf(used++), asked, given }));
        const toolCalls = named.map(({ id, asked }): LlmToolCall => ({
          id,
          ...asked,
          ...(asked.malformedArguments === undefined ? {} : { arguments: {} }),
        }));
        messages.push({
          role: "assistant",
          content,
          ...(toolCalls.length === 0 ? {} : { toolCalls }),
          ...(thoughts.length === 0 ? {} : { reasoning: thoughts }),
        });
        if (isLast) break;
        for (const { id, asked, given } of named) {
          messages.push({ role: "tool", toolCallId: id, name: asked.name, ...given });
        }
        if (named.length === 0) messages.push({ role: "user", content: next });
      }
      return messages;
    });
}
