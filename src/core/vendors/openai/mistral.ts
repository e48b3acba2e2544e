// Mistral's dialect of chat completions: a thought is a part of the content, the id of a call has nine characters, and `seed` is
// `random_seed`. Its API refuses a body of another form.

import { defined } from "../../defined.js";
import type { JsonObject } from "../../canon/value.js";
import type { AssistantMessage, LlmMessage } from "../../model/message.js";

export function isMistralHost(host: string): boolean {
  return /(^|\.)mistral\.ai$/.test(host);
}

/** True for a model as Mistral's own API names it. Other hosts serve the same models with thoughts in `reasoning_content`. */
export function isMistralModel(model: string): boolean {
  return /^(?:open-|labs-)?(?:(?:mi|mini|magi|code|dev)stral|(?:mi|pi|vo)xtral)(?:-|$)/.test(model);
}

/** A part of the content that holds all thoughts, or nothing. */
export function toThinking({ reasoning = [] }: AssistantMessage): JsonObject[] {
  const thoughts = reasoning.flatMap((thought) => (thought.type === "text" ? thought : []));
  const text = thoughts.map((thought) => thought.text).join("");
  if (text === "") return [];
  return [toThinkingPart(text, thoughts.at(-1)?.signature)];
}

export function toThinkingPart(text: string, signature?: string): JsonObject {
  return { type: "thinking", thinking: [{ type: "text", text }], ...defined({ signature }) };
}

/** The body that OpenAI's API takes for `messages`, as Mistral's API takes it. */
export function toMistralBody(body: JsonObject, messages: readonly LlmMessage[]): JsonObject {
  const { seed, ...rest } = body;
  const idOf = createMistralIds();
  const encoded = (body["messages"] as JsonObject[]).map((message, index): JsonObject => {
    const source = messages[index];
    if (source?.role === "tool") return { ...message, tool_call_id: idOf(source.toolCallId) };
    return source?.role === "assistant" ? toAssistant(message, source, idOf) : message;
  });
  return { ...rest, messages: encoded, ...defined({ random_seed: seed }) };
}

function toAssistant(message: JsonObject, source: AssistantMessage, idOf: (id: string) => string): JsonObject {
  const thinking = toThinking(source);
  const { content } = source;
  const said = content === "" ? [] : [{ type: "text", text: content }];
  const calls = message["tool_calls"] as JsonObject[] | undefined;
  return {
    ...message,
    ...(thinking.length === 0 ? {} : { content: [...thinking, ...said] }),
    ...(calls === undefined ? {} : { tool_calls: calls.map((call) => ({ ...call, id: idOf(call["id"] as string) })) }),
  };
}

/** Mistral's own ids stay as they are. Others are numbered in the order of the conversation. */
function createMistralIds(): (id: string) => string {
  const ids = new Map<string, string>();
  return (id) => {
    if (/^[A-Za-z0-9]{9}$/.test(id)) return id;
    const known = ids.get(id) ?? `call${String(ids.size).padStart(5, "0")}`;
    ids.set(id, known);
    return known;
  };
}
