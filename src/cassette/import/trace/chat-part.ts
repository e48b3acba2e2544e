// The parts of a chat message under any of their names: texts, thoughts, calls of tools, their results, images.

import { canonicalize, defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import { isObject, toObject, toText } from "../foreign-json.js";

/** Parts by kind. `content` holds texts as text, and other parts as OpenAI's or unchanged. */
export interface ChatParts {
  content: JsonValue[];
  calls: JsonObject[];
  /** As messages of the role tool. */
  results: JsonObject[];
  thoughts: string[];
  /** True when content comes after a call, an order that our messages cannot express. */
  isLate: boolean;
}

const CALLS = new Set(["tool-call", "tool_call", "tool_use", "function_call"]);
const RESULTS = new Set(["tool-result", "tool_result", "tool_call_response"]);

export function hasToolPart(part: JsonObject): boolean {
  const type = toText(part["type"]);
  return CALLS.has(type) || isObject(part["function_call"]) || part["toolCallId"] !== undefined || isResultPart(part);
}

export function isResultPart(part: JsonValue): boolean {
  return isObject(part) && (RESULTS.has(toText(part["type"])) || isObject(part["function_response"]));
}

/** Sorts parts; the order of texts, calls and results among themselves is kept. */
export function toChatParts(list: readonly JsonValue[]): ChatParts {
  const parts: ChatParts = { content: [], calls: [], results: [], thoughts: [], isLate: false };
  for (const part of list) {
    const before = parts.content.length;
    if (!isObject(part)) parts.content.push(toTextOf(part));
    else sortPart(part, parts);
    if (parts.calls.length > 0 && parts.content.length > before) parts.isLate = true;
  }
  return parts;
}

function sortPart(part: JsonObject, parts: ChatParts): void {
  const type = toText(part["type"]);
  const { function_call: call, function_response: response } = part;
  if (isObject(response)) parts.results.push(toResult(response));
  else if (RESULTS.has(type)) parts.results.push(toResult(part));
  else if (isObject(call)) parts.calls.push(toCall(call));
  else if (CALLS.has(type) || part["toolCallId"] !== undefined) parts.calls.push(toCall(part));
  else if (type === "reasoning" || type === "thinking") addThought(part, parts);
  else if (type === "image" || type === "file") parts.content.push(toImage(part));
  else if (type === "uri" || type === "blob") parts.content.push(toMedia(part));
  else if (type === "" || type === "text" || type === "input_text" || type === "output_text") {
    const text = part["text"] ?? part["content"];
    parts.content.push(typeof text === "string" ? text : part);
  } else parts.content.push(part);
}

function toCall(part: JsonObject): JsonObject {
  const given = part["arguments"] ?? part["args"] ?? part["input"];
  return {
    id: part["call_id"] ?? part["toolCallId"] ?? part["id"] ?? null,
    function: {
      name: part["name"] ?? part["toolName"] ?? null,
      arguments: isObject(given) ? JSON.stringify(given) : (given ?? null),
    },
  };
}

function toResult(part: JsonObject): JsonObject {
  const { output, response, result, content } = part;
  const name = part["name"] ?? part["toolName"];
  return {
    role: "tool",
    tool_call_id: part["id"] ?? part["toolCallId"] ?? part["tool_use_id"] ?? null,
    ...defined({ name }),
    content: toTextOf(output ?? response ?? result ?? content),
    ...(isFailure(part) ? { is_error: true } : {}),
  };
}

/** Anthropic and the AI SDK's first versions mark the part, its later ones the output. */
function isFailure(part: JsonObject): boolean {
  const { output, is_error: marked, isError } = part;
  return marked === true || isError === true || toText(toObject(output)["type"]).startsWith("error-");
}

/** Adds a thought. One with a vendor's signature stays a part, as Anthropic writes it. */
function addThought(part: JsonObject, { content, thoughts }: ChatParts): void {
  const signature = part["signature"] ?? signatureIn(part["providerOptions"]) ?? signatureIn(part["providerMetadata"]);
  const thinking = toThought(part);
  if (typeof signature === "string" && signature !== "") content.push({ type: "thinking", thinking, signature });
  else thoughts.push(thinking);
}

function signatureIn(options: JsonValue | undefined): JsonValue | undefined {
  return toObject(toObject(options)["anthropic"])["signature"];
}

function toThought(part: JsonObject): string {
  const { text, content, reasoning, thinking, summary } = part;
  if (Array.isArray(summary)) return summary.map((item) => toText(toObject(item)["text"])).join("\n");
  return toText(text ?? content ?? reasoning ?? thinking);
}

/** The AI SDK's image or image file: a URL, or base64 with its media type. */
function toImage(part: JsonObject): JsonValue {
  const data = part["image"] ?? part["data"] ?? part["url"];
  const mediaType = toText(part["mediaType"] ?? part["mimeType"]);
  const isImage = part["type"] === "image" || mediaType.startsWith("image/");
  if (!isImage || typeof data !== "string" || isObject(part["source"])) return part;
  const url = /^(https?|data):/.test(data) ? data : `data:${mediaType || "image/png"};base64,${data}`;
  return { type: "image_url", image_url: { url } };
}

/** The `uri` and `blob` of the GenAI conventions, where they hold an image. */
function toMedia(part: JsonObject): JsonValue {
  const { modality, uri, content } = part;
  const mediaType = toText(part["mime_type"]);
  if (modality !== "image" && !mediaType.startsWith("image/")) return part;
  if (typeof uri === "string") return { type: "image_url", image_url: { url: uri } };
  if (typeof content !== "string") return part;
  return { type: "image_url", image_url: { url: `data:${mediaType || "image/png"};base64,${content}` } };
}

/** A value as text: text unchanged, the AI SDK's `{type, value}` as its value, anything else as canonical JSON. */
export function toTextOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  const { type, value: inner, parts, text } = toObject(value);
  const fields = Object.keys(toObject(value)).length;
  if (inner !== undefined && fields === 2 && /^(?:text|json)$|^error-/.test(toText(type))) return toTextOf(inner);
  if (Array.isArray(parts)) return parts.map((part) => toTextOf(part)).join("");
  return typeof text === "string" && fields === 1 ? text : canonicalize(value);
}
