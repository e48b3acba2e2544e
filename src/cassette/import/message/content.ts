// The content of a message: text, or a list of parts as OpenAI (Chat Completions and Responses), Anthropic or AgentDojo write
// them. A part that our messages have no place for is kept as its canonical JSON text. Hints to a vendor (`cache_control`, an
// image's `detail`) are left out.

import {
  canonicalize,
  type ContentPart,
  type JsonObject,
  type JsonValue,
  type Reasoning,
} from "../../../core/index.js";
import type { RepairLog } from "../repair.js";
import { isObject, toObject, toText } from "../foreign-json.js";
import { countDropped, type ContentRules, type RoleReader } from "./message.js";

type Piece = ContentPart | { type: "reasoning"; reasoning: Reasoning };

export const readSystemMessage: RoleReader["read"] = ({ content }, rules) => ({
  role: "system",
  content: readText(content, rules),
});

export const readUserMessage: RoleReader["read"] = ({ content }, rules) => ({
  role: "user",
  content: readUserContent(content, rules),
});

export function readText(content: JsonValue | undefined, rules: ContentRules): string {
  return joinTexts(content, toPieces(content, rules.repairs), rules);
}

/** The content of a user message: parts if there is an image among them, else text. */
export function readUserContent(content: JsonValue | undefined, rules: ContentRules): string | ContentPart[] {
  const pieces = toPieces(content, rules.repairs, "image");
  const parts = pieces.filter((piece) => piece.type !== "reasoning");
  return parts.some((part) => part.type === "image") ? parts : joinTexts(content, parts, rules);
}

/** The content of an assistant message, with the model's thoughts apart. */
export function readAssistantContent(
  content: JsonValue | undefined,
  rules: ContentRules,
): { content: string; reasoning: Reasoning[] } {
  const pieces = toPieces(content, rules.repairs, "reasoning");
  const reasoning = pieces.flatMap((piece) => (piece.type === "reasoning" ? [piece.reasoning] : []));
  const rest = pieces.filter((piece) => piece.type !== "reasoning");
  return { content: joinTexts(content, rest, rules), reasoning };
}

function joinTexts(content: JsonValue | undefined, pieces: readonly Piece[], rules: ContentRules): string {
  if (Array.isArray(content) && (!rules.listIsNative || pieces.length > 1)) rules.repairs.add("content-list-joined");
  return pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
}

/** The content as texts and pieces of the other type that is allowed. */
function toPieces(content: JsonValue | undefined, repairs: RepairLog, allowed?: Piece["type"]): readonly Piece[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (content === undefined || content === null) {
    repairs.add(content === null ? "content-null" : "content-missing");
    return [];
  }
  if (!Array.isArray(content)) repairs.add("content-not-text");
  return (Array.isArray(content) ? content : [content]).map((part) => {
    const piece = toPiece(part);
    if (piece !== undefined && (piece.type === "text" || piece.type === allowed)) {
      if (isObject(part)) countDropped(part, PART_FIELDS, repairs);
      if (isObject(part) && part["type"] === "refusal") repairs.add("refusal-joined");
      return piece;
    }
    repairs.add("part-unsupported");
    return { type: "text", text: canonicalize(part) };
  });
}

const PART_FIELDS = new Set([
  ...["type", "id", "index", "text", "content", "refusal", "cache_control"],
  ...["image_url", "image", "source", "detail", "thinking", "reasoning", "signature", "redacted", "data"],
]);

function toPiece(value: JsonValue): Piece | undefined {
  if (typeof value === "string") return { type: "text", text: value };
  const part = toObject(value);
  switch (toText(part["type"])) {
    case "text":
    case "input_text":
    case "output_text":
      return toTextPiece(part["text"] ?? part["content"]);
    case "refusal":
      return toTextPiece(part["refusal"]);
    case "image_url":
    case "input_image":
      return toUrlImage(isObject(part["image_url"]) ? part["image_url"]["url"] : part["image_url"]);
    case "image":
      // Anthropic's `source`, or a URL (Inspect).
      return isObject(part["source"]) ? toSourceImage(part["source"]) : toUrlImage(part["image"]);
    case "thinking":
      return toThinking(part["thinking"], part);
    case "reasoning":
      return toThinking(part["reasoning"] ?? part["text"], part);
    case "redacted_thinking":
      if (typeof part["data"] !== "string") return undefined;
      return { type: "reasoning", reasoning: { type: "redacted", data: part["data"] } };
  }
  return undefined;
}

function toTextPiece(text: JsonValue | undefined): Piece | undefined {
  return typeof text === "string" ? { type: "text", text } : undefined;
}

/** A `data:` URL (RFC 2397) in base64 becomes inline data, as our providers send it. */
function toUrlImage(url: JsonValue | undefined): Piece | undefined {
  if (typeof url !== "string") return undefined;
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (mediaType === undefined || data === undefined) return { type: "image", url };
  return { type: "image", mediaType, data };
}

function toSourceImage(source: JsonObject): Piece | undefined {
  const { type, media_type: mediaType, data, url } = source;
  if (type === "base64" && typeof mediaType === "string" && typeof data === "string") {
    return { type: "image", mediaType, data };
  }
  return type === "url" && typeof url === "string" ? { type: "image", url } : undefined;
}

function toThinking(text: JsonValue | undefined, { signature, redacted }: JsonObject): Piece | undefined {
  if (typeof text !== "string") return undefined;
  if (redacted === true) return { type: "reasoning", reasoning: { type: "redacted", data: text } };
  const reasoning: Reasoning = { type: "text", text };
  if (typeof signature === "string") reasoning.signature = signature;
  return { type: "reasoning", reasoning };
}
