// The content of a message: text, or a list of parts in the words of OpenAI (Chat Completions and Responses), Anthropic
// or AgentDojo. A part that has no place here is kept as its canonical JSON text. What only steers a vendor (`cache_control`,
// an image's `detail`) is left out knowingly.

import {
  canonicalize,
  type ContentPart,
  type JsonObject,
  type JsonValue,
  type Reasoning,
} from "../../../core/index.js";
import { countDropped } from "./message.js";
import type { RepairLog } from "../repair.js";
import { isObject, toText } from "../value.js";

/** Where content stands decides what it may hold. */
export interface ContentRules {
  repairs: RepairLog;
  /** True where a list of parts is the format's own, so that a list of one text is no repair. */
  listIsNative: boolean;
}

type Piece = ContentPart | { type: "reasoning"; reasoning: Reasoning };

/** The content of a system or tool message. */
export function readText(content: JsonValue | undefined, rules: ContentRules): string {
  const pieces = toPieces(content, rules.repairs, () => false);
  return joinTexts(content, pieces, rules);
}

/** The content of a user message: parts if an image is among them, else text. */
export function readUserContent(content: JsonValue | undefined, rules: ContentRules): string | ContentPart[] {
  const pieces = toPieces(content, rules.repairs, (piece) => piece.type === "image");
  const parts = pieces.filter((piece) => piece.type !== "reasoning");
  return parts.some((part) => part.type === "image") ? parts : joinTexts(content, parts, rules);
}

/** The content of an assistant message, what the model thought apart. */
export function readAssistantContent(
  content: JsonValue | undefined,
  rules: ContentRules,
): { content: string; reasoning: Reasoning[] } {
  const pieces = toPieces(content, rules.repairs, (piece) => piece.type === "reasoning");
  const reasoning = pieces.flatMap((piece) => (piece.type === "reasoning" ? [piece.reasoning] : []));
  const rest = pieces.filter((piece) => piece.type !== "reasoning");
  return { content: joinTexts(content, rest, rules), reasoning };
}

function joinTexts(content: JsonValue | undefined, pieces: readonly Piece[], rules: ContentRules): string {
  if (Array.isArray(content) && (!rules.listIsNative || pieces.length > 1)) rules.repairs.add("content-list-joined");
  return pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
}

function toPieces(
  content: JsonValue | undefined,
  repairs: RepairLog,
  isAllowed: (piece: Piece) => boolean,
): readonly Piece[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (content === undefined || content === null) {
    repairs.add(content === null ? "content-null" : "content-missing");
    return [];
  }
  if (!Array.isArray(content)) repairs.add("content-not-text");
  return (Array.isArray(content) ? content : [content]).map((part) => {
    const piece = toPiece(part);
    if (piece !== undefined && (piece.type === "text" || isAllowed(piece))) {
      if (isObject(part)) countBeside(part, repairs);
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

/** What a part has beside what it says, such as `citations`. */
function countBeside(part: JsonObject, repairs: RepairLog): void {
  countDropped(part, PART_FIELDS, repairs);
  if (part["type"] === "refusal") repairs.add("refusal-joined");
}

/** One part in our shape, or undefined if it has none. */
function toPiece(part: JsonValue): Piece | undefined {
  if (typeof part === "string") return { type: "text", text: part };
  if (!isObject(part)) return undefined;
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
