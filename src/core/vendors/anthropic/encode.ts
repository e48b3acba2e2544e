// A turn request as a Messages body. Specification: Anthropic API reference, "Create a message". All system messages become the one
// top-level `system`, and a list of tool results becomes one user message. `seed` does not exist here. `responseFormat` becomes
// `output_config.format`, which models before Claude 4.5 (Opus: 4.1) refuse. With a `thinkingBudget`, the API refuses `temperature` and
// `top_p`, so they are left out.

import type { JsonObject } from "../../canon/value.js";
import type { AssistantMessage, ContentPart, LlmMessage, Reasoning, ToolMessage } from "../../model/message.js";
import type { LlmSettings, LlmTurnRequest } from "../../model/provider.js";
import { encodeAlternating, type WireIds } from "../../providers/alternating.js";
import { optional, toWireName } from "../../providers/encode.js";

export interface AnthropicEncoding {
  model: string;
  maxTokens: number;
  /** Marks the end of the leading system messages, up to which the vendor caches the prompt. */
  promptCaching?: boolean;
}

export function encodeAnthropic(request: LlmTurnRequest, encoding: AnthropicEncoding): JsonObject {
  const { settings = {}, tools = [], messages } = request;
  const { thinkingBudget } = settings;
  const body: JsonObject = {
    model: settings.model ?? encoding.model,
    max_tokens: settings.maxTokens ?? encoding.maxTokens,
    ...encodeSystem(messages, encoding.promptCaching === true),
    messages: encodeAlternating(messages, {
      user: encodeContent,
      assistant: encodeAssistant,
      result: encodeResult,
    }),
    ...(thinkingBudget === undefined
      ? { ...optional("temperature", settings.temperature), ...optional("top_p", settings.topP) }
      : { thinking: { type: "enabled", budget_tokens: thinkingBudget } }),
    ...optional("stop_sequences", settings.stop),
  };
  if (tools.length > 0) {
    body["tools"] = tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
    if (settings.toolChoice !== undefined) body["tool_choice"] = encodeChoice(settings.toolChoice);
  }
  if (settings.responseFormat !== undefined) {
    body["output_config"] = { format: { type: "json_schema", schema: settings.responseFormat.schema } };
  }
  return body;
}

/** All in one text, or a block for each with the cache's mark on the last one before the conversation. */
function encodeSystem(messages: readonly LlmMessage[], promptCaching: boolean): JsonObject {
  const first = messages.findIndex(({ role }) => role !== "system");
  const leading = first === -1 ? messages.length : first;
  const blocks: JsonObject[] = [];
  const texts: string[] = [];
  let marked: JsonObject | undefined;
  messages.forEach((message, index) => {
    if (message.role !== "system" || message.content === "") return;
    const block: JsonObject = { type: "text", text: message.content };
    blocks.push(block);
    texts.push(message.content);
    if (index < leading) marked = block;
  });
  if (blocks.length === 0) return {};
  if (!promptCaching) return { system: texts.join("\n\n") };
  if (marked !== undefined) marked["cache_control"] = { type: "ephemeral" };
  return { system: blocks };
}

function encodeChoice(choice: NonNullable<LlmSettings["toolChoice"]>): JsonObject {
  if (typeof choice === "object") return { type: "tool", name: choice.name };
  return { type: choice === "required" ? "any" : choice };
}

function encodeContent(content: string | readonly ContentPart[]): string | JsonObject[] {
  if (typeof content === "string") return content;
  return content.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    const source: JsonObject =
      "url" in part ? { type: "url", url: part.url } : { type: "base64", media_type: part.mediaType, data: part.data };
    return { type: "image", source };
  });
}

/** The blocks of an answer, thoughts first, as the API demands. An answer without text and calls has no blocks. */
function encodeAssistant(message: AssistantMessage, ids: WireIds): JsonObject[] {
  const { content, toolCalls = [], reasoning = [] } = message;
  if (content === "" && toolCalls.length === 0) return [];
  return [
    ...reasoning.flatMap(encodeReasoning),
    ...(content === "" ? [] : [{ type: "text", text: content }]),
    ...toolCalls.map((call) => ({
      type: "tool_use",
      id: ids.add(call.id),
      name: toWireName(call.name, 128),
      input: call.arguments,
    })),
  ];
}

/** A thought without a signature comes from another vendor and would be refused. */
function encodeReasoning(reasoning: Reasoning): JsonObject[] {
  if (reasoning.type === "redacted") return [{ type: "redacted_thinking", data: reasoning.data }];
  if (reasoning.signature === undefined) return [];
  return [{ type: "thinking", thinking: reasoning.text, signature: reasoning.signature }];
}

/** The API refuses an error without text, so it gets one. */
function encodeResult(message: ToolMessage, id: string): JsonObject {
  if (message.isError !== true) return { type: "tool_result", tool_use_id: id, content: message.content };
  return { type: "tool_result", tool_use_id: id, content: message.content || "error", is_error: true };
}
