// The conversation as plain JSON, one shape for every vendor. These objects are hashed and stored in cassettes, so a field is never
// `undefined`. Shapes follow the cassette format, version 2.

import type { JsonObject } from "../canon/value.js";

/** One part of a user message. An image is either inline base64 `data` with its media type, or a `url`. */
export type ContentPart =
  { type: "text"; text: string } | { type: "image"; mediaType: string; data: string } | { type: "image"; url: string };

/** The model's thoughts before its answer. `signature` and `data` are opaque text of the vendor, sent back unchanged. */
export type Reasoning = { type: "text"; text: string; signature?: string } | { type: "redacted"; data: string };

/** A call that the model asks for. A tool message answers it by its `id`. */
export interface LlmToolCall {
  /** The vendor's id, or a synthetic one if the vendor gave none. Never compared. */
  id: string;
  name: string;
  arguments: JsonObject;
  /** The model's text if it was not one JSON object. Then `arguments` is `{}` and the call is never run. */
  malformedArguments?: string;
}

/** The agent's instructions; the first message of a conversation. */
export interface SystemMessage {
  role: "system";
  content: string;
}

/** A message to the model: text, or texts and images. */
export interface UserMessage {
  role: "user";
  content: string | ContentPart[];
}

/** The model's answer, thoughts and tool calls. `content` is "" if it only called tools. */
export interface AssistantMessage {
  role: "assistant";
  content: string;
  toolCalls?: LlmToolCall[];
  reasoning?: Reasoning[];
}

/** The result of one tool call, as text. `isError` is set if the call failed or was refused. */
export interface ToolMessage {
  role: "tool";
  toolCallId: string;
  name: string;
  content: string;
  isError?: true;
}

/** A message of a conversation, by `role`. */
export type LlmMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** The text of a user message, its images left out. */
export function textOf(content: string | readonly ContentPart[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
