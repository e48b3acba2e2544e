// A turn request as a body of Cohere's chat API (v2). Specification: Cohere API reference, "Chat". A choice of one tool does not exist
// here, so that tool alone is offered and required. Text next to tool calls is their `tool_plan`.

import type { JsonObject } from "../../canon/value.js";
import type { AssistantMessage, LlmMessage } from "../../model/message.js";
import type { LlmTurnRequest } from "../../model/provider.js";
import { optional, toFunctionTool } from "../../providers/encode.js";
import { encodeCall, encodePart } from "../openai/encode.js";

export function encodeCohere(request: LlmTurnRequest, encoding: { model: string }): JsonObject {
  const { settings = {} } = request;
  const { toolChoice, responseFormat } = settings;
  const chosen = typeof toolChoice === "object" ? toolChoice.name : undefined;
  const tools = (request.tools ?? []).filter(({ name }) => chosen === undefined || name === chosen);
  const body: JsonObject = {
    model: settings.model ?? encoding.model,
    messages: request.messages.map(encodeMessage),
    ...optional("temperature", settings.temperature),
    ...optional("p", settings.topP),
    ...optional("max_tokens", settings.maxTokens),
    ...optional("stop_sequences", settings.stop),
    ...optional("seed", settings.seed),
  };
  if (tools.length > 0) {
    body["tools"] = tools.map(toFunctionTool);
    if (toolChoice !== undefined && toolChoice !== "auto") {
      body["tool_choice"] = toolChoice === "none" ? "NONE" : "REQUIRED";
    }
  }
  if (responseFormat !== undefined) body["response_format"] = encodeFormat(responseFormat.schema);
  return body;
}

/** The schema of any object is JSON without a schema. */
function encodeFormat(schema: JsonObject): JsonObject {
  const isAny = schema["type"] === "object" && Object.keys(schema).length === 1;
  return { type: "json_object", ...(isAny ? {} : { json_schema: schema }) };
}

function encodeMessage(message: LlmMessage): JsonObject {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user": {
      const { content } = message;
      return { role: "user", content: typeof content === "string" ? content : content.map(encodePart) };
    }
    case "assistant":
      return encodeAssistant(message);
    case "tool":
      return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
  }
}

/** A thought with a signature comes from another vendor, and only that vendor can read it. */
function encodeAssistant({ content, toolCalls = [], reasoning = [] }: AssistantMessage): JsonObject {
  const hasCalls = toolCalls.length > 0;
  const thoughts = reasoning.flatMap((thought) =>
    thought.type === "text" && thought.signature === undefined && thought.text !== ""
      ? { type: "thinking", thinking: thought.text }
      : [],
  );
  const said = hasCalls || content === "" ? [] : [{ type: "text", text: content }];
  return {
    role: "assistant",
    ...(thoughts.length > 0 ? { content: [...thoughts, ...said] } : hasCalls ? {} : { content }),
    ...(hasCalls && content !== "" ? { tool_plan: content } : {}),
    ...(hasCalls ? { tool_calls: toolCalls.map(encodeCall) } : {}),
  };
}
