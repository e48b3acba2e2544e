// A thread as OpenAI chat messages, {model, tools, messages}, for the Chat Completions API, for fine-tuning line by line, and for
// `parseImport`. Specification: OpenAI API reference, "Create chat completion". The encoder that sends messages writes them, and
// its output is compared with its input.

import { defined, encodeOpenAi, type AssistantMessage, type JsonObject } from "../../core/index.js";
import { countResultNames } from "./answers.js";
import type { ThreadHead } from "./head.js";
import type { LossLog } from "./loss.js";
import type { Thread } from "./threads.js";

/** Makes one document. The model and the tools are left out where they are unknown. */
export function toOpenAi({ messages }: Thread, { model, tools }: ThreadHead, losses: LossLog): JsonObject {
  const request = { messages, ...defined({ tools }) };
  const body = encodeOpenAi(request, { model: model ?? "", maxTokensField: "max_tokens" });
  const encoded = body["messages"] as JsonObject[];
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") countAssistantLosses(message, encoded[index] as JsonObject, losses);
    if (message.role === "tool" && message.isError === true) losses.add("tool-error");
  }
  countResultNames(messages, losses);
  return { ...defined({ model, tools: body["tools"] }), messages: encoded };
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
