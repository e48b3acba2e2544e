// A turn request as a Responses body. Specification: OpenAI API reference, "Create a model response". Each request has the whole
// conversation and `store` is false, so the vendor keeps no state. `stop` and `seed` do not exist on this wire.

import type { JsonObject } from "../../canon/value.js";
import type { ContentPart, LlmMessage } from "../../model/message.js";
import type { LlmSettings, LlmToolDefinition, LlmTurnRequest } from "../../model/provider.js";
import { optional, toWireName } from "../../providers/encode.js";
import { wireFieldsOf } from "../../wire/fields.js";
import { writeItems } from "./items.js";

/** What a body needs besides the request. */
export interface ResponsesEncoding {
  model: string;
  /** Asks for reasoning in a form that the next request can give back. A model that does not reason refuses it. */
  includeReasoning: boolean;
}

/** Encodes a turn request for OpenAI's Responses API. */
export function encodeResponses(request: LlmTurnRequest, encoding: ResponsesEncoding): JsonObject {
  const { settings = {}, tools = [], messages } = request;
  const body: JsonObject = {
    model: settings.model ?? encoding.model,
    input: messages.flatMap(encodeMessage),
    store: false,
    ...(encoding.includeReasoning ? { include: ["reasoning.encrypted_content"] } : {}),
    ...optional("temperature", settings.temperature),
    ...optional("top_p", settings.topP),
    ...optional("max_output_tokens", settings.maxTokens),
  };
  if (tools.length > 0) {
    body["tools"] = tools.map(encodeTool);
    if (settings.toolChoice !== undefined) body["tool_choice"] = encodeChoice(settings.toolChoice);
  }
  if (settings.responseFormat !== undefined) {
    const { name, schema } = settings.responseFormat;
    body["text"] = { format: { type: "json_schema", name, schema } };
  }
  return body;
}

/** Without `strict`, which the API turns on by default and which changes a schema. */
function encodeTool({ name, description, schema }: LlmToolDefinition): JsonObject {
  return { type: "function", name, description, parameters: schema, strict: false };
}

function encodeChoice(choice: NonNullable<LlmSettings["toolChoice"]>): string | JsonObject {
  return typeof choice === "string" ? choice : { type: "function", name: choice.name };
}

function encodeMessage(message: LlmMessage): JsonObject[] {
  const { item, layout } = wireFieldsOf(message, "responses");
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user": {
      if (item !== undefined) return [item as JsonObject];
      const { content } = message;
      return [{ role: "user", content: typeof content === "string" ? content : content.map(encodePart) }];
    }
    case "assistant": {
      const toolCalls = message.toolCalls?.map((call) => ({ ...call, name: toWireName(call.name, 64) }));
      return writeItems({ ...message, ...(toolCalls === undefined ? {} : { toolCalls }) }, layout);
    }
    case "tool":
      return [{ type: "function_call_output", call_id: message.toolCallId, output: message.content }];
  }
}

function encodePart(part: ContentPart): JsonObject {
  if (part.type === "text") return { type: "input_text", text: part.text };
  const url = "url" in part ? part.url : `data:${part.mediaType};base64,${part.data}`;
  return { type: "input_image", image_url: url };
}
