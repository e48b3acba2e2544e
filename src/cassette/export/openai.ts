// A thread as OpenAI chat messages, {model, tools, messages}: what the Chat Completions API takes back, what fine-tuning
// reads line by line, and what `parseImport` reads. Specification: OpenAI API reference, "Create chat completion". The
// messages are written by the very encoder that sends them, and compared with what went in.

import { defined, encodeOpenAi, type AssistantMessage, type JsonObject } from "../../core/index.js";
import { countResultNames } from "./answers.js";
import type { ThreadHead } from "./head.js";
import type { LossLog } from "./loss.js";
import type { Thread } from "./threads.js";

/** One document of {model, tools, messages}; the first two only where they are known. */
export function toOpenAi({ messages }: Thread, { model, tools }: ThreadHead, losses: LossLog): JsonObject {
  const request = { messages, ...defined({ tools }) };
  const body = encodeOpenAi(request, { model: model ?? "", maxTokensField: "max_tokens" });
  const encoded = body["messages"] as JsonObject[];
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") countAssistantLosses(message, encoded[index] as JsonObject, losses);
    if (message.role === "tool" && message.isError === true) losses.add("tool-error");
  }
  countResultNames(messages, losses);
  return {
    ...defined({ model }),
    ...(body["tools"] === undefined ? {} : { tools: body["tools"] }),
    messages: encoded,
  };
}

function countAssistantLosses(message: AssistantMessage, encoded: JsonObject, losses: LossLog): void {
  const { toolCalls = [], reasoning = [] } = message;
  losses.add("reasoning", reasoning.length);
  const written = (encoded["tool_calls"] ?? []) as { function: { name: string } }[];
  for (const [index, { name, malformedArguments }] of toolCalls.entries()) {
    if (malformedArguments !== undefined) losses.add("malformed-arguments");
    if (written[index]?.function.name !== name) losses.add("tool-name");
  }
}
