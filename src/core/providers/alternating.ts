// Messages of a wire on which the user and the assistant take turns, and the user's next message holds the results of tools.

import type { JsonObject, JsonValue } from "../canon/value.js";
import type { AssistantMessage, LlmMessage, ToolMessage, UserMessage } from "../model/message.js";

/** The content of each kind of message on a wire. */
export interface ContentEncoders {
  user(content: UserMessage["content"]): JsonValue;
  /** An empty list leaves the message out. */
  assistant(message: AssistantMessage, ids: WireIds): JsonObject[];
  result(message: ToolMessage, id: string): JsonObject;
}

/** The messages without those of the system. Results that follow each other share a message. */
export function encodeAlternating(messages: readonly LlmMessage[], encoders: ContentEncoders): JsonObject[] {
  const ids = createWireIds();
  const encoded: JsonObject[] = [];
  /** The content of the last message if that holds tool results. */
  let results: JsonObject[] | undefined;
  for (const message of messages) {
    if (message.role === "tool") {
      if (results === undefined) encoded.push({ role: "user", content: (results = []) });
      results.push(encoders.result(message, ids.of(message.toolCallId)));
      continue;
    }
    results = undefined;
    if (message.role === "user") encoded.push({ role: "user", content: encoders.user(message.content) });
    if (message.role !== "assistant") continue;
    const content = encoders.assistant(message, ids);
    if (content.length > 0) encoded.push({ role: "assistant", content });
  }
  return encoded;
}

export interface WireIds {
  /** The id on the wire of a call that is being written. */
  add(id: string): string;
  /** The id on the wire of the latest call that was written under `id`. */
  of(id: string): string;
}

/** These APIs allow few characters in ids, unique in the conversation. Ids of other vendors and synthetic ones may be neither. */
function createWireIds(): WireIds {
  const latest = new Map<string, string>();
  const used = new Set<string>();
  return {
    add(id) {
      const base = id.replace(/[^\w-]/g, "_") || "call";
      let wireId = base;
      for (let count = 2; used.has(wireId); count++) wireId = `${base}_${count}`;
      used.add(wireId);
      latest.set(id, wireId);
      return wireId;
    },
    of: (id) => latest.get(id) ?? id,
  };
}
