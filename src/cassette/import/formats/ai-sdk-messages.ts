// Model messages of the AI SDK (`ModelMessage[]`, versions 5 and 6; version 4's `args` and `result` too): content as parts, the
// results of one step in one tool message. Specification: the AI SDK reference, "ModelMessage". `providerOptions` steer a vendor
// and are left out, but for what Anthropic's provider keeps of a thought there.

import { canonicalize, defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import { toArguments } from "../message/calls.js";
import { readAssistantContent, readText, readUserContent, type ContentRules } from "../message/content.js";
import type { LogCall, LogMessage } from "../log.js";
import { countDropped, keepUnknown, toUsage } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { isObject, toText } from "../value.js";

const FIELDS = new Set(["role", "content", "id", "usage", "providerOptions", "experimental_providerMetadata"]);

/** True for a message with a part that the AI SDK alone writes so. Its messages of nothing but text are like OpenAI's. */
export function isAiSdkMessage({ content }: JsonObject): boolean {
  return Array.isArray(content) && content.some((part) => isObject(part) && isAiSdkPart(part));
}

function isAiSdkPart({ type, mediaType, providerOptions }: JsonObject): boolean {
  if (type === "tool-call" || type === "tool-result") return true;
  if (type === "image" || type === "file") return typeof mediaType === "string";
  return type === "reasoning" && isObject(providerOptions);
}

/** Reads a list of the AI SDK's messages. */
export function readAiSdkMessages(list: readonly JsonValue[], repairs: RepairLog): LogMessage[] {
  const rules: ContentRules = { repairs, listIsNative: true };
  return list.flatMap((message) => (isObject(message) ? readMessage(message, rules) : [keepUnknown(message, repairs)]));
}

function readMessage(message: JsonObject, rules: ContentRules): LogMessage[] {
  const { content } = message;
  const role = toText(message["role"]);
  switch (role) {
    case "system":
      countDropped(message, FIELDS, rules.repairs);
      return [{ role, content: readText(content, rules) }];
    case "user":
      countDropped(message, FIELDS, rules.repairs);
      return [{ role, content: readUserContent(withOurParts(content), rules) }];
    case "assistant":
      countDropped(message, FIELDS, rules.repairs);
      return readAssistant(message, rules);
    case "tool":
      if (!Array.isArray(content) || content.length === 0) break;
      countDropped(message, FIELDS, rules.repairs);
      return content.map((part) => (isResult(part) ? readResult(part, rules) : keepUnknown(part, rules.repairs)));
  }
  return [keepUnknown(message, rules.repairs)];
}

/** An answer, and the results of tools that the vendor ran within it. */
function readAssistant(message: JsonObject, rules: ContentRules): LogMessage[] {
  const parts = withOurParts(message["content"]);
  const calls: LogCall[] = [];
  const results: LogMessage[] = [];
  let others: JsonValue | undefined = parts;
  if (Array.isArray(parts)) {
    const rest: JsonValue[] = [];
    for (const part of parts) {
      if (isResult(part)) results.push(readResult(part, rules));
      else if (isObject(part) && part["type"] === "tool-call") calls.push(readCall(part, rules.repairs));
      else {
        if (calls.length > 0) rules.repairs.add("text-order-lost");
        rest.push(part);
      }
    }
    others = rest;
  }
  const usage = toUsage(message["usage"]);
  const answer = { ...readAssistantContent(others, rules), calls, ...defined({ usage }) };
  return [{ role: "assistant", ...answer }, ...results];
}

function readCall({ toolCallId, toolName, input, args }: JsonObject, repairs: RepairLog): LogCall {
  return { id: toolCallId, ...toToolName(toolName), ...toArguments(input ?? args, repairs) };
}

/** Any text is a name, as it is in a cassette: what was exported comes back. */
function toToolName(value: JsonValue | undefined): { name?: string } {
  return typeof value === "string" ? { name: value } : {};
}

function isResult(part: JsonValue): part is JsonObject {
  return isObject(part) && part["type"] === "tool-result";
}

function readResult(part: JsonObject, rules: ContentRules): LogMessage {
  const { toolCallId, toolName, output, result, isError } = part;
  const type = isObject(output) ? toText(output["type"]) : "";
  return {
    role: "tool",
    callId: toolCallId,
    ...toToolName(toolName),
    content: isObject(output) ? readOutput(output, type, rules) : toResultText(output ?? result),
    isError: isError === true || type.startsWith("error-") || type === "execution-denied",
  };
}

/** `{type, value}`; a call that nobody allowed has a `reason`. */
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

/** Parts in words that content.ts reads: images and thoughts in Anthropic's, which hold them whole. */
function withOurParts(content: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(content) ? content.map((part) => (isObject(part) ? toOurPart(part) : part)) : content;
}

function toOurPart(part: JsonObject): JsonValue {
  switch (toText(part["type"])) {
    case "reasoning":
      return toThought(part);
    case "image":
    case "file":
      return toImage(part) ?? part;
  }
  return part;
}

function toThought(part: JsonObject): JsonValue {
  const options = part["providerOptions"];
  const kept = isObject(options) && isObject(options["anthropic"]) ? options["anthropic"] : {};
  const { redactedData, signature } = kept;
  if (typeof redactedData === "string") return { type: "redacted_thinking", data: redactedData };
  return { type: "thinking", thinking: part["text"] ?? null, ...defined({ signature }) };
}

/** An address, or base64 with its media type; undefined for anything else. */
function toImage({ type, image, data, mediaType, mimeType }: JsonObject): JsonValue | undefined {
  const [held, media] = [type === "image" ? image : data, toText(mediaType ?? mimeType)];
  if (typeof held !== "string" || (type === "file" && !media.startsWith("image/"))) return undefined;
  if (held.startsWith("data:")) return { type: "image_url", image_url: { url: held } };
  if (media !== "" && !/^https?:/.test(held)) {
    return { type: "image", source: { type: "base64", media_type: media, data: held } };
  }
  return URL.canParse(held) ? { type: "image", source: { type: "url", url: held } } : undefined;
}
