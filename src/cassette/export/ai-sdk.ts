// A thread as model messages of the AI SDK (`ModelMessage[]`, versions 5 and 6), {model, tools, messages}: content as parts,
// the results of one step in one tool message. Specification: the AI SDK reference, "ModelMessage".

import {
  defined,
  type AssistantMessage,
  type ContentPart,
  type JsonObject,
  type LlmMessage,
  type Reasoning,
  type ToolMessage,
} from "../../core/index.js";
import type { ThreadHead } from "./head.js";
import type { Thread } from "./threads.js";

/** Makes one document, which holds every message whole. The model and the tools are left out where they are unknown. */
export function toAiSdk({ messages }: Thread, { model, tools }: ThreadHead): JsonObject {
  return { ...defined({ model, tools: tools?.map(encodeTool) }), messages: encodeMessages(messages) };
}

function encodeTool({ name, description, schema }: NonNullable<ThreadHead["tools"]>[number]): JsonObject {
  return { type: "function", name, description, inputSchema: schema };
}

function encodeMessages(messages: readonly LlmMessage[]): JsonObject[] {
  const result: JsonObject[] = [];
  let results: JsonObject[] | undefined;
  for (const message of messages) {
    if (message.role !== "tool") {
      results = undefined;
      result.push(encodeMessage(message));
      continue;
    }
    if (results === undefined) result.push({ role: "tool", content: (results = []) });
    results.push(encodeResult(message));
  }
  return result;
}

function encodeMessage(message: Exclude<LlmMessage, ToolMessage>): JsonObject {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user": {
      const { content } = message;
      return { role: "user", content: typeof content === "string" ? content : content.map(encodePart) };
    }
    case "assistant":
      return { role: "assistant", content: encodeAssistant(message) };
  }
}

function encodePart(part: ContentPart): JsonObject {
  if (part.type === "text") return { type: "text", text: part.text };
  if ("url" in part) return { type: "image", image: part.url };
  return { type: "image", image: part.data, mediaType: part.mediaType };
}

/** Only the text where there is nothing else, as the SDK itself writes it. */
function encodeAssistant({ content, toolCalls = [], reasoning = [] }: AssistantMessage): string | JsonObject[] {
  if (toolCalls.length + reasoning.length === 0) return content;
  return [
    ...reasoning.map(encodeReasoning),
    ...(content === "" ? [] : [{ type: "text", text: content }]),
    ...toolCalls.map(({ id, name, arguments: input, malformedArguments }) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input: malformedArguments ?? input,
    })),
  ];
}

/** Signatures and opaque thoughts are Anthropic's, and stand where its SDK provider expects them. */
function encodeReasoning(reasoning: Reasoning): JsonObject {
  if (reasoning.type === "redacted") {
    return { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: reasoning.data } } };
  }
  const { text, signature } = reasoning;
  return {
    type: "reasoning",
    text,
    ...defined({ providerOptions: signature === undefined ? undefined : { anthropic: { signature } } }),
  };
}

function encodeResult({ toolCallId, name, content, isError }: ToolMessage): JsonObject {
  const output = { type: isError === true ? "error-text" : "text", value: content };
  return { type: "tool-result", toolCallId, toolName: name, output };
}
