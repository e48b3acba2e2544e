// Cassettes, version 2 (docs/cassette-format.md), whose hashes hold: the recorder's own code builds them.

import fc from "fast-check";
import { buildCassette, createPromptTracker, type CassetteExtensions, type CassetteV2 } from "../../cassette/index.js";
import { assertKnownOptions, type AssistantMessage, type LlmMessage, type LlmTurnResponse } from "../../core/index.js";
import { conversation, type ConversationOptions } from "./messages.js";
import { answerFigures } from "./usage.js";

export interface AskedTurn {
  prompt: readonly LlmMessage[];
  response: LlmTurnResponse;
}

/** A cassette of these turns, as a recorder would write it: with prompts, and with hashes that hold. */
export function cassetteOf(
  turns: readonly AskedTurn[],
  extensions: CassetteExtensions = {},
  head: Partial<Pick<CassetteV2, "recordedProvider" | "recordedAt" | "agentId">> = {},
): CassetteV2 {
  const tracker = createPromptTracker();
  const built = turns.map(({ prompt, response }) => {
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

/** The response of a model with this message and no figures. */
export function answerOf(message: AssistantMessage): LlmTurnResponse {
  const asksTools = (message.toolCalls ?? []).length > 0;
  return asksTools ? { message, stopReason: "toolUse" } : { message, finalAnswer: message.content, stopReason: "stop" };
}

/** One turn for each assistant message; its prompt is everything before it. */
export function turnsOf(messages: readonly LlmMessage[]): AskedTurn[] {
  return messages.flatMap((message, index) =>
    message.role === "assistant" ? [{ prompt: messages.slice(0, index), response: answerOf(message) }] : [],
  );
}

/** A cassette of one conversation that loads, verifies and replays. Shrinks to one empty question with an empty answer. */
export function cassette(options: ConversationOptions = {}): fc.Arbitrary<CassetteV2> {
  assertKnownOptions("cassette", options, ["idOf", "tools", "maxAnswers"]);
  const { maxAnswers = 4 } = options;
  const figures = fc.array(answerFigures(), { minLength: maxAnswers, maxLength: maxAnswers });
  return fc.tuple(conversation(options), figures, fc.boolean()).map(([messages, reported, isNamed]) => {
    const turns = turnsOf(messages).map(({ prompt, response }, index) => ({
      prompt,
      response: { ...response, ...reported[index] },
    }));
    return cassetteOf(turns, {}, isNamed ? { agentId: "ann" } : {});
  });
}
