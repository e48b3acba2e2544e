// A turn request as the body of Converse. Specification: Amazon Bedrock API reference, "Converse". The URL names the model. A list of tool
// results becomes one user message. `seed` and `toolChoice: "none"` do not exist here. A thought without a signature is left out.

import type { JsonObject } from "../../canon/value.js";
import { invalidOptions } from "../../errors.js";
import type { AssistantMessage, ContentPart, Reasoning, ToolMessage } from "../../model/message.js";
import type { LlmSettings, LlmToolDefinition, LlmTurnRequest } from "../../model/provider.js";
import { encodeAlternating, type WireIds } from "../../providers/alternating.js";
import { optional, toWireName } from "../../providers/encode.js";
import { nested } from "../../wire/fields.js";

/** Encodes a turn request for Converse. Throws `invalid-options` for an image by URL, which this wire cannot carry. */
export function encodeBedrock(request: LlmTurnRequest): JsonObject {
  const { settings = {}, tools = [], messages } = request;
  const system = messages.flatMap((message) =>
    message.role === "system" && message.content !== "" ? [{ text: message.content }] : [],
  );
  return {
    ...(system.length === 0 ? {} : { system }),
    messages: encodeAlternating(messages, {
      user: encodeContent,
      assistant: encodeAssistant,
      result: encodeResult,
    }),
    ...nested("inferenceConfig", {
      ...optional("maxTokens", settings.maxTokens),
      ...optional("temperature", settings.temperature),
      ...optional("topP", settings.topP),
      ...optional("stopSequences", settings.stop),
    }),
    ...(tools.length === 0 ? {} : { toolConfig: encodeTools(tools, settings.toolChoice) }),
    ...(settings.responseFormat === undefined ? {} : { outputConfig: encodeFormat(settings.responseFormat) }),
  };
}

function encodeTools(tools: readonly LlmToolDefinition[], choice: LlmSettings["toolChoice"]): JsonObject {
  const config: JsonObject = {
    tools: tools.map(({ name, description, schema }) => ({
      // The API refuses an empty description.
      toolSpec: { name, ...(description === "" ? {} : { description }), inputSchema: { json: schema } },
    })),
  };
  if (typeof choice === "object") config["toolChoice"] = { tool: { name: choice.name } };
  else if (choice === "auto") config["toolChoice"] = { auto: {} };
  else if (choice === "required") config["toolChoice"] = { any: {} };
  return config;
}

function encodeFormat({ name, schema }: NonNullable<LlmSettings["responseFormat"]>): JsonObject {
  const jsonSchema = { schema: JSON.stringify(schema), name };
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

function encodeContent(content: string | readonly ContentPart[]): JsonObject[] {
  if (typeof content === "string") return [{ text: content }];
  return content.map((part): JsonObject => {
    if (part.type === "text") return { text: part.text };
    if ("data" in part)
      return { image: { format: part.mediaType.replace(/^image\//, ""), source: { bytes: part.data } } };
    throw invalidOptions(
      "an image given by url cannot be sent to Bedrock",
      'Load the image and pass it inline, as { type: "image", mediaType, data }.',
    );
  });
}

/** The blocks of an answer, thoughts first. An answer without text and calls has no blocks. */
function encodeAssistant({ content, toolCalls = [], reasoning = [] }: AssistantMessage, ids: WireIds): JsonObject[] {
  if (content === "" && toolCalls.length === 0) return [];
  return [
    ...reasoning.flatMap(encodeReasoning),
    ...(content === "" ? [] : [{ text: content }]),
    ...toolCalls.map((call) => ({
      toolUse: { toolUseId: ids.add(call.id), name: toWireName(call.name, 64), input: call.arguments },
    })),
  ];
}

/** A thought without a signature may come from another vendor, and Claude's models would refuse it. */
function encodeReasoning(reasoning: Reasoning): JsonObject[] {
  if (reasoning.type === "redacted") return [{ reasoningContent: { redactedContent: reasoning.data } }];
  const { text, signature } = reasoning;
  return signature === undefined ? [] : [{ reasoningContent: { reasoningText: { text, signature } } }];
}

/** The API refuses an empty text. */
function encodeResult({ content, isError }: ToolMessage, toolUseId: string): JsonObject {
  const blocks = content === "" ? [] : [{ text: content }];
  return { toolResult: { toolUseId, content: blocks, ...(isError === true ? { status: "error" } : {}) } };
}
