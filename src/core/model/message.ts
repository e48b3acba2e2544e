// The conversation as plain JSON, one shape for every vendor. These are the very objects that are hashed and stored in a
// cassette, so a field is absent or has a value; it is never `undefined`. Shapes follow the cassette format, version 2.

import type { JsonObject } from "../canon/value.js";

/** One part of a user message. An image is either inline base64 `data` with its media type, or a `url`. */
export type ContentPart =
  { type: "text"; text: string } | { type: "image"; mediaType: string; data: string } | { type: "image"; url: string };

/** What a model thought before it answered. `signature` and `data` are the vendor's opaque text, given back unchanged. */
export type Reasoning = { type: "text"; text: string; signature?: string } | { type: "redacted"; data: string };

/** A call that the model asks for. A tool message answers it by its `id`. */
export interface LlmToolCall {
  /** The vendor's id, or a synthetic one where the vendor gave none. Never compared. */
  id: string;
  name: string;
  arguments: JsonObject;
  /** What the model wrote, when it was not one JSON object; `arguments` is `{}` then and the call is never run. */
  malformedArguments?: string;
}

/** The agent's instructions; the first message of a conversation. */
export interface SystemMessage {
  role: "system";
  content: string;
}

/** What the model is asked: text, or texts and images. */
export interface UserMessage {
  role: "user";
  content: string | ContentPart[];
}

/** What the model said, thought and asked for. `content` is "" where it only asked for tools. */
export interface AssistantMessage {
  role: "assistant";
  content: string;
  toolCalls?: LlmToolCall[];
  reasoning?: Reasoning[];
}

/** The result of one tool call, as text. `isError` is there where the call failed or was refused. */
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
