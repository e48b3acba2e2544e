// A turn request as a chat completions body, which has no earlier reasoning. Specification: OpenAI API reference, "Create chat completion".

import type { JsonObject } from "../../canon/value.js";
import type { ContentPart, LlmMessage, LlmToolCall } from "../../model/message.js";
import type { LlmSettings, LlmTurnRequest } from "../../model/provider.js";
import { optional, toFunctionTool, toWireName } from "../../providers/encode.js";

/** The two names this API has had for the same limit. */
export type MaxTokensField = "max_tokens" | "max_completion_tokens";

export interface OpenAiEncoding {
  model: string;
  maxTokensField: MaxTokensField;
}

export function encodeOpenAi(request: LlmTurnRequest, encoding: OpenAiEncoding): JsonObject {
  const { settings = {}, tools = [] } = request;
  const body: JsonObject = {
    model: settings.model ?? encoding.model,
    messages: request.messages.map(encodeMessage),
    ...optional("temperature", settings.temperature),
    ...optional("top_p", settings.topP),
    ...optional(encoding.maxTokensField, settings.maxTokens),
    ...optional("stop", settings.stop),
    ...optional("seed", settings.seed),
  };
  if (tools.length > 0) {
    body["tools"] = tools.map(toFunctionTool);
    if (settings.toolChoice !== undefined) body["tool_choice"] = encodeChoice(settings.toolChoice);
  }
  if (settings.responseFormat !== undefined) {
    const { name, schema } = settings.responseFormat;
    body["response_format"] = { type: "json_schema", json_schema: { name, schema } };
  }
  return body;
}

function encodeChoice(choice: NonNullable<LlmSettings["toolChoice"]>): string | JsonObject {
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } };
}

function encodeMessage(message: LlmMessage): JsonObject {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user": {
      const { content } = message;
      return { role: "user", content: typeof content === "string" ? content : content.map(encodePart) };
    }
    case "assistant": {
      const { content, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: "assistant", content };
      return { role: "assistant", content: content === "" ? null : content, tool_calls: toolCalls.map(encodeCall) };
    }
    case "tool":
      return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
  }
}

/** An image part has the URL, or the data in a URL. */
export function encodePart(part: ContentPart): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text };
  const url = "url" in part ? part.url : `data:${part.mediaType};base64,${part.data}`;
  return { type: "image_url", image_url: { url } };
}

/** Malformed arguments are sent as `{}`: some servers refuse a conversation whose arguments do not parse. */
export function encodeCall(call: LlmToolCall): JsonObject {
  return {
    id: call.id,
    type: "function",
    function: { name: toWireName(call.name, 64), arguments: JSON.stringify(call.arguments) },
  };
}
