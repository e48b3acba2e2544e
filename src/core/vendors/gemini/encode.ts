// A turn request as a generateContent body. Specification: Gemini API reference, "GenerateContentRequest". System messages become
// the one `systemInstruction`, and consecutive tool results become one content. The URL names the model.

import { isPlainObject, type JsonObject } from "../../canon/value.js";
import { parseBoundedJson } from "../../canon/bounded-json.js";
import type { ContentPart, LlmMessage, ToolMessage } from "../../model/message.js";
import type { LlmSettings, LlmTurnRequest } from "../../model/provider.js";
import { optional, toWireName } from "../../providers/encode.js";
import { nested, wireFieldsOf } from "../../wire/fields.js";
import { hasOwnId, writeParts } from "./parts.js";

/** Encodes a turn request for Gemini's generateContent. */
export function encodeGemini(request: LlmTurnRequest): JsonObject {
  const { settings = {}, tools = [], messages } = request;
  const system = messages.flatMap((message) => (message.role === "system" ? message.content : []));
  const body: JsonObject = { contents: encodeMessages(messages) };
  if (system.length > 0) body["systemInstruction"] = { parts: system.map((text) => ({ text })) };
  if (tools.length > 0) {
    body["tools"] = [
      {
        functionDeclarations: tools.map(({ name, description, schema }) => ({
          name,
          description,
          parametersJsonSchema: schema,
        })),
      },
    ];
    if (settings.toolChoice !== undefined)
      body["toolConfig"] = { functionCallingConfig: encodeChoice(settings.toolChoice) };
  }
  return { ...body, ...nested("generationConfig", encodeSettings(settings)) };
}

function encodeSettings(settings: LlmSettings): JsonObject {
  const { responseFormat } = settings;
  return {
    ...optional("temperature", settings.temperature),
    ...optional("topP", settings.topP),
    ...optional("maxOutputTokens", settings.maxTokens),
    ...optional("stopSequences", settings.stop),
    ...optional("seed", settings.seed),
    ...(responseFormat === undefined
      ? {}
      : { responseMimeType: "application/json", responseJsonSchema: responseFormat.schema }),
  };
}

function encodeChoice(choice: NonNullable<LlmSettings["toolChoice"]>): JsonObject {
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.name] };
  return { mode: choice === "required" ? "ANY" : choice.toUpperCase() };
}

function encodeMessages(messages: readonly LlmMessage[]): JsonObject[] {
  const contents: JsonObject[] = [];
  let results: JsonObject[] | undefined;
  let unnamed: readonly string[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    if (message.role === "tool") {
      if (results === undefined) contents.push({ role: "user", parts: (results = []) });
      const { toolCallId: id } = message;
      const hasId = id !== "" && !unnamed.includes(id);
      results.push({ functionResponse: { ...(hasId ? { id } : {}), ...encodeResult(message) } });
      continue;
    }
    results = undefined;
    if (message.role === "user") contents.push({ role: "user", parts: encodeContent(message.content) });
    else {
      const toolCalls = message.toolCalls?.map((call) => ({ ...call, name: toWireName(call.name, 64) }));
      unnamed = (toolCalls ?? []).flatMap(({ id }, index) => (hasOwnId(id, index) ? [] : id));
      const parts = writeParts(
        { ...message, ...(toolCalls === undefined ? {} : { toolCalls }) },
        wireFieldsOf(message, "gemini")["layout"],
      );
      if (parts.length > 0) contents.push({ role: "model", parts });
    }
  }
  return contents;
}

function encodeContent(content: string | readonly ContentPart[]): JsonObject[] {
  if (typeof content === "string") return [{ text: content }];
  return content.map((part): JsonObject => {
    if (part.type === "text") return { text: part.text };
    if ("url" in part) return { fileData: { fileUri: part.url } };
    return { inlineData: { mimeType: part.mediaType, data: part.data } };
  });
}

function encodeResult({ name, content, isError }: ToolMessage): JsonObject {
  return {
    name: toWireName(name, 64),
    response: isError === true ? { error: content } : (toResult(content) ?? { output: content }),
  };
}

/** An object that reads back as the same text, since the API requires an object. */
function toResult(content: string): JsonObject | undefined {
  if (!content.startsWith("{")) return undefined;
  try {
    const parsed = parseBoundedJson(content);
    const isSame =
      isPlainObject(parsed) && JSON.stringify(parsed) === content && textOfResult(parsed as JsonObject) === undefined;
    return isSame ? (parsed as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a result that has nothing else. */
export function textOfResult(response: JsonObject): { content: string; isError?: true } | undefined {
  const [[key, text] = [], ...others] = Object.entries(response);
  if (others.length > 0 || typeof text !== "string") return undefined;
  if (key === "output") return { content: text };
  return key === "error" ? { content: text, isError: true } : undefined;
}
