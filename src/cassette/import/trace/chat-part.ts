// The parts of a chat message, whatever they are called: texts, thoughts, calls of tools, their results, images.

import { canonicalize, defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import { isObject, toText } from "../value.js";

/** Parts by what they are. `content` holds texts as text, and other parts as OpenAI's or as they were. */
export interface ChatParts {
  content: JsonValue[];
  calls: JsonObject[];
  /** As messages of the role tool. */
  results: JsonObject[];
  thoughts: string[];
  /** Something stands after a call, which our messages cannot say. */
  isLate: boolean;
}

const CALLS = new Set(["tool-call", "tool_call", "tool_use", "function_call"]);
const RESULTS = new Set(["tool-result", "tool_result", "tool_call_response"]);

/** True for a call of a tool or its result. */
export function hasToolPart(part: JsonObject): boolean {
  const type = toText(part["type"]);
  const isCall = CALLS.has(type) || isObject(part["function_call"]) || part["toolCallId"] !== undefined;
  return isCall || isResultPart(part);
}

/** True for the result of a call. */
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
  const { function_call: asked, function_response: answered } = part;
  if (isObject(answered)) parts.results.push(toResult(answered));
  else if (RESULTS.has(type)) parts.results.push(toResult(part));
  else if (isObject(asked)) parts.calls.push(toCall(asked));
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
  return marked === true || isError === true || (isObject(output) && toText(output["type"]).startsWith("error-"));
}

/** One with a vendor's signature stays a part, as Anthropic writes it. */
function addThought(part: JsonObject, { content, thoughts }: ChatParts): void {
  const signature = part["signature"] ?? signatureIn(part["providerOptions"]) ?? signatureIn(part["providerMetadata"]);
  const thinking = toThought(part);
  if (typeof signature === "string" && signature !== "") content.push({ type: "thinking", thinking, signature });
  else thoughts.push(thinking);
}

function signatureIn(options: JsonValue | undefined): JsonValue | undefined {
  const own = isObject(options) ? options["anthropic"] : undefined;
  return isObject(own) ? own["signature"] : undefined;
}

function toThought(part: JsonObject): string {
  const { text, content, reasoning, thinking, summary } = part;
  if (Array.isArray(summary)) return summary.map((item) => (isObject(item) ? toText(item["text"]) : "")).join("\n");
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

/** A value as text: text as it is, the AI SDK's `{type, value}` as its value, anything else as canonical JSON. */
export function toTextOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (isObject(value) && value["value"] !== undefined && Object.keys(value).length === 2) {
    const type = toText(value["type"]);
    if (type === "text" || type === "json" || type.startsWith("error-")) return toTextOf(value["value"]);
  }
  if (isObject(value) && Array.isArray(value["parts"])) return value["parts"].map((part) => toTextOf(part)).join("");
  if (isObject(value) && typeof value["text"] === "string" && Object.keys(value).length === 1) return value["text"];
  return canonicalize(value);
}
