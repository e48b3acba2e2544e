// A thread as Anthropic messages, {model, system, tools, messages}: the system prompt apart, tool results inside user messages,
// signed thoughts as thinking blocks. Specification: Anthropic API reference, "Create a message". The encoder that sends messages
// writes them, and its output is compared with its input.

import { defined, encodeAnthropic, type JsonObject, type LlmMessage, type LlmToolCall } from "../../core/index.js";
import { countResultNames } from "./answers.js";
import type { ThreadHead } from "./head.js";
import type { LossLog } from "./loss.js";
import type { Thread } from "./threads.js";

/** Makes one document. The model, the system prompt and the tools are left out where they are unknown. */
export function toAnthropic({ messages }: Thread, { model, tools }: ThreadHead, losses: LossLog): JsonObject {
  const request = { messages, ...defined({ tools }) };
  // The limit on tokens belongs to a request, not to a document.
  const { system, tools: offered, messages: encoded } = encodeAnthropic(request, { model: model ?? "", maxTokens: 1 });
  const blocks = (encoded as { content: string | JsonObject[] }[]).flatMap(({ content }) =>
    typeof content === "string" ? [] : content,
  );
  countSystemLosses(messages, losses);
  countAssistantLosses(messages, blocks, losses);
  countResultLosses(messages, losses);
  return { ...defined({ model, system, tools: offered }), messages: encoded as JsonObject[] };
}

function countSystemLosses(messages: readonly LlmMessage[], losses: LossLog): void {
  const first = messages.findIndex(({ role }) => role !== "system");
  const written = messages.filter(({ role, content }) => role === "system" && content !== "");
  losses.add("system-joined", written.length - 1);
  losses.add("system-moved", messages.slice(first).filter((message) => written.includes(message)).length);
  losses.add("empty-message", messages.filter(({ role, content }) => role === "system" && content === "").length);
}

/** An empty error is the only result whose text the encoder changes. */
function countResultLosses(messages: readonly LlmMessage[], losses: LossLog): void {
  const results = messages.filter((message) => message.role === "tool");
  losses.add("empty-error", results.filter(({ content, isError }) => isError === true && content === "").length);
  countResultNames(messages, losses);
}

function countAssistantLosses(messages: readonly LlmMessage[], blocks: readonly JsonObject[], losses: LossLog): void {
  const answers = messages.filter((message) => message.role === "assistant");
  const calls: LlmToolCall[] = answers.flatMap(({ toolCalls = [] }) => toolCalls);
  const written = blocks.filter(({ type }) => type === "tool_use");
  for (const [index, { id, name, malformedArguments }] of calls.entries()) {
    if (malformedArguments !== undefined) losses.add("malformed-arguments");
    if (written[index]?.["name"] !== name) losses.add("tool-name");
    if (written[index]?.["id"] !== id) losses.add("call-id");
  }
  const thoughts = answers.reduce((sum, { reasoning = [] }) => sum + reasoning.length, 0);
  const kept = blocks.filter(({ type }) => type === "thinking" || type === "redacted_thinking").length;
  losses.add("reasoning", thoughts - kept);
  const empty = answers.filter(({ content, toolCalls = [] }) => content === "" && toolCalls.length === 0);
  losses.add("empty-message", empty.length);
}
