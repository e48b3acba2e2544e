// The lines of the debug log: each message as it joins the conversation, and each call of the provider.

import type { JsonObject } from "../../canon/value.js";
import type { LlmMessage } from "../../model/message.js";
import type { LlmSettings, LlmTurnResponse } from "../../model/provider.js";
import { writeAnthropic } from "../../vendors/anthropic/write.js";
import { writeMemory } from "./memory-form.js";

/** `isRetry`: the message does not stay in the conversation. */
export function debugMessage(message: LlmMessage, isRetry = false): JsonObject[] {
  return writeMemory([message], "anthropic").map(({ role, content }) =>
    toLine("message", { role: role as string, content: content as string }, isRetry),
  );
}

export function debugRequest(
  { model = null, maxTokens = null, thinkingBudget = null }: NullSettings,
  messages: number,
): JsonObject {
  return toLine("api_request", {
    model,
    max_tokens: maxTokens,
    thinking_budget: thinkingBudget,
    message_count: messages,
  });
}

type NullSettings = {
  readonly [Name in "model" | "maxTokens" | "thinkingBudget"]?: NonNullable<LlmSettings[Name]> | null;
};

/** The answer as a message, and what its call cost. */
export function debugResponse(response: LlmTurnResponse, isRetry: boolean): JsonObject[] {
  const { content, stop_reason: stop, usage } = writeAnthropic(response, STAMP);
  const { input_tokens: input = 0, output_tokens: output = 0 } = usage as Record<string, number>;
  const blocks = content as JsonObject[];
  return [
    toLine("message", { role: "assistant", content: blocks }, isRetry),
    toLine("api_response", {
      status: 200,
      content_blocks: blocks.length,
      stop_reason: stop ?? null,
      input_tokens: input,
      output_tokens: output,
    }),
  ];
}

const STAMP = { id: "0", model: "", createdAt: 0 };

function toLine(event: string, fields: JsonObject, isRetry = false): JsonObject {
  return { log: "debug", event, ...fields, ...(isRetry ? { retry: true } : {}) };
}
