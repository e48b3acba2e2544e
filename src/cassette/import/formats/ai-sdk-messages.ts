// Model messages of the AI SDK (`ModelMessage[]`, versions 5 and 6; version 4's `args` and `result` too): content as parts, the
// results of one step in one tool message. Specification: the AI SDK reference, "ModelMessage". `providerOptions` are hints to a
// vendor and ignored, except for what Anthropic's provider keeps of a thought there.

import { canonicalize, defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import type { LogMessage } from "../log-run.js";
import { takeCallBlocks, toArguments } from "../message/calls.js";
import { readAssistantContent, readSystemMessage, readText, readUserContent } from "../message/content.js";
import { createMessageReader, keepUnknown, toUsage, type ContentRules } from "../message/message.js";
import { isObject, toObject, toText } from "../foreign-json.js";

const FIELDS = ["role", "content", "id", "usage", "providerOptions", "experimental_providerMetadata"];

/** Recognises a message by a part that only the AI SDK writes so. Messages of nothing but text are like OpenAI's. */
export function isAiSdkMessage({ content }: JsonObject): boolean {
  return Array.isArray(content) && content.some((part) => isObject(part) && isAiSdkPart(part));
}

function isAiSdkPart({ type, mediaType, providerOptions }: JsonObject): boolean {
  if (type === "tool-call" || type === "tool-result") return true;
  if (type === "image" || type === "file") return typeof mediaType === "string";
  return type === "reasoning" && isObject(providerOptions);
}

export const readAiSdkMessages = createMessageReader(true, {
  system: { fields: FIELDS, read: readSystemMessage },
  user: {
    fields: FIELDS,
    read: ({ content }, rules) => ({ role: "user", content: readUserContent(withOurParts(content), rules) }),
  },
  assistant: { fields: FIELDS, read: readAssistant },
  tool: { fields: FIELDS, read: readToolMessage },
});

function readToolMessage({ content }: JsonObject, rules: ContentRules): LogMessage[] | undefined {
  if (!Array.isArray(content) || content.length === 0) return undefined;
  return content.map((part) => (isResult(part) ? readResult(part, rules) : keepUnknown(part, rules.repairs)));
}

/** Reads an answer, and the results of tools that the vendor ran within it. */
function readAssistant({ content, usage }: JsonObject, rules: ContentRules): LogMessage[] {
  const parts = withOurParts(content);
  const results = Array.isArray(parts) ? parts.filter(isResult) : [];
  const said = Array.isArray(parts) ? parts.filter((part) => !isResult(part)) : parts;
  const { calls, others } = takeCallBlocks(said, "tool-call", rules.repairs);
  return [
    {
      role: "assistant",
      ...readAssistantContent(others, rules),
      calls: calls.map(({ toolCallId, toolName, input, args }) => ({
        id: toolCallId,
        name: toToolName(toolName),
        ...toArguments(input ?? args, rules.repairs),
      })),
      usage: toUsage(usage),
    },
    ...results.map((part) => readResult(part, rules)),
  ];
}

/** Any text is a name, as it is in a cassette, so that an export can be imported again. */
function toToolName(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isResult(part: JsonValue): part is JsonObject {
  return isObject(part) && part["type"] === "tool-result";
}

function readResult(part: JsonObject, rules: ContentRules): LogMessage {
  const { toolCallId, toolName, output, result, isError } = part;
  const type = toText(toObject(output)["type"]);
  return {
    role: "tool",
    callId: toolCallId,
    name: toToolName(toolName),
    content: isObject(output) ? readOutput(output, type, rules) : toResultText(output ?? result),
    isError: isError === true || type.startsWith("error-") || type === "execution-denied",
  };
}

/** `{type, value}`; a call that was denied has a `reason`. */
function readOutput(output: JsonObject, type: string, rules: ContentRules): string {
  const { value, reason } = output;
  switch (type) {
    case "text":
    case "error-text":
    case "json":
    case "error-json":
      return toResultText(value);
    case "content":
      return readText(value, rules);
    case "execution-denied":
      return toResultText(reason);
  }
  return canonicalize(output);
}

function toResultText(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : canonicalize(value);
}

/** Rewrites parts as message/content.ts reads them: images and thoughts become Anthropic's, which hold them whole. */
function withOurParts(content: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(content) ? content.map((part) => (isObject(part) ? toOurPart(part) : part)) : content;
}

function toOurPart(part: JsonObject): JsonValue {
  const { type } = part;
  if (type === "reasoning") return toThought(part);
  return type === "image" || type === "file" ? (toImage(part) ?? part) : part;
}

function toThought({ text = null, providerOptions }: JsonObject): JsonValue {
  const { redactedData, signature } = toObject(toObject(providerOptions)["anthropic"]);
  if (typeof redactedData === "string") return { type: "redacted_thinking", data: redactedData };
  return { type: "thinking", thinking: text, ...defined({ signature }) };
}

/** A URL, or base64 with its media type; undefined for anything else. */
function toImage({ type, image, data, mediaType, mimeType }: JsonObject): JsonValue | undefined {
  const [held, media] = [type === "image" ? image : data, toText(mediaType ?? mimeType)];
  if (typeof held !== "string" || (type === "file" && !media.startsWith("image/"))) return undefined;
  if (held.startsWith("data:")) return { type: "image_url", image_url: { url: held } };
  if (media !== "" && !/^https?:/.test(held)) {
    return { type: "image", source: { type: "base64", media_type: media, data: held } };
  }
  return URL.canParse(held) ? { type: "image", source: { type: "url", url: held } } : undefined;
}
