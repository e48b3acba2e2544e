// A turn request as an Ollama chat body. Specification: ollama docs/api.md, "Generate a chat completion". This wire has no tool
// choice: "none" offers no tool, a named one offers only that tool, "required" is left to the model.

import type { JsonObject } from "../../canon/value.js";
import { AgentError } from "../../errors.js";
import { textOf, type ContentPart, type LlmMessage } from "../../model/message.js";
import type { LlmToolDefinition, LlmTurnRequest } from "../../model/provider.js";
import { optional, toFunctionTool } from "../../providers/encode.js";

/** Encodes a turn request for Ollama's chat API. Throws `invalid-options` for an image by URL, which this wire cannot carry. */
export function encodeOllama(request: LlmTurnRequest, encoding: { model: string }): JsonObject {
  const { settings = {} } = request;
  const tools = offeredTools(request);
  const options = {
    ...optional("temperature", settings.temperature),
    ...optional("top_p", settings.topP),
    ...optional("num_predict", settings.maxTokens),
    ...optional("stop", settings.stop),
    ...optional("seed", settings.seed),
  };
  return {
    model: settings.model ?? encoding.model,
    stream: false,
    messages: request.messages.map(encodeMessage),
    ...(tools.length > 0 ? { tools: tools.map(toFunctionTool) } : {}),
    ...(settings.responseFormat === undefined ? {} : { format: settings.responseFormat.schema }),
    ...(Object.keys(options).length > 0 ? { options } : {}),
  };
}

function offeredTools({ tools = [], settings = {} }: LlmTurnRequest): readonly LlmToolDefinition[] {
  const { toolChoice } = settings;
  if (toolChoice === "none") return [];
  return typeof toolChoice === "object" ? tools.filter((tool) => tool.name === toolChoice.name) : tools;
}

function encodeMessage(message: LlmMessage): JsonObject {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user": {
      const images = typeof message.content === "string" ? [] : message.content.flatMap(encodeImage);
      return { role: "user", content: textOf(message.content), ...optional("images", images) };
    }
    case "assistant": {
      const { content, toolCalls = [], reasoning = [] } = message;
      const thinking = reasoning.map((thought) => (thought.type === "text" ? thought.text : "")).join("");
      const calls = toolCalls.map((call) => ({
        id: call.id,
        function: { name: call.name, arguments: call.arguments },
      }));
      return {
        role: "assistant",
        content,
        ...optional("thinking", thinking === "" ? undefined : thinking),
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      };
    }
    case "tool":
      return { role: "tool", content: message.content, tool_name: message.name, tool_call_id: message.toolCallId };
  }
}

function encodeImage(part: ContentPart): string[] {
  if (part.type === "text") return [];
  if ("data" in part) return [part.data];
  throw new AgentError("invalid-options", "an image given by url cannot be sent to Ollama", {
    hint: 'Load the image and pass it inline, as { type: "image", mediaType, data }.',
  });
}
