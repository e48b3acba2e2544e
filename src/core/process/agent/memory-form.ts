// The conversation of an agent as its controller reads and writes it: in the form of Anthropic's messages or of OpenAI's.

import { seal } from "../../canon/copy.js";
import { isPlainObject, type JsonObject } from "../../canon/value.js";
import type { LlmMessage } from "../../model/message.js";
import { showValue } from "../../text/show.js";
import { thrownText } from "../../text/thrown.js";
import { encodeAnthropic } from "../../vendors/anthropic/encode.js";
import { parseAnthropic } from "../../vendors/anthropic/parse.js";
import { encodeOpenAi } from "../../vendors/openai/encode.js";
import { parseOpenAi } from "../../vendors/openai/parse.js";
import { pairResults } from "./pin-tools.js";

export type MemoryForm = "anthropic" | "openai";

/** The messages of a conversation without its system messages. Answers of text alone are strings. */
export function writeMemory(messages: readonly LlmMessage[], form: MemoryForm): JsonObject[] {
  const spoken = messages.filter(({ role }) => role !== "system");
  if (form === "openai") {
    const { messages: written } = encodeOpenAi({ messages: spoken }, { model: "", maxTokensField: "max_tokens" });
    return written as JsonObject[];
  }
  const { messages: written } = encodeAnthropic({ messages: spoken }, { model: "", maxTokens: 1 });
  return (written as JsonObject[]).map((message) => {
    const { content } = message;
    const only = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
    return isPlainObject(only) && only["type"] === "text" ? { ...message, content: only["text"] as string } : message;
  });
}

export type MemoryRead =
  { readonly kind: "read"; readonly messages: LlmMessage[] } | { readonly kind: "refused"; readonly reason: string };

/** Reads both forms. A list with one unusable message is refused whole. */
export function readMemory(value: readonly unknown[]): MemoryRead {
  const refuse = (reason: string): MemoryRead => ({ kind: "refused", reason });
  for (const [index, message] of value.entries()) {
    if (!isPlainObject(message)) return refuse(`messages[${index}] is ${showValue(message)} and must be an object`);
    const missing = ["role", "content"].find((name) => !Object.hasOwn(message, name));
    if (missing !== undefined) return refuse(`messages[${index}] has no ${missing}`);
    if (message["role"] === "system" || message["role"] === "developer")
      return refuse(`messages[${index}] has the role ${message["role"]}, which a conversation here cannot have`);
  }
  const isOpenAi = value.some(
    (message) => isPlainObject(message) && (message["role"] === "tool" || "tool_calls" in message),
  );
  try {
    const body = { messages: value };
    const { request } = isOpenAi ? parseOpenAi(body) : parseAnthropic(body);
    const messages = request.messages.map((message) => seal(message));
    const flaw = findOpenCall(messages);
    return flaw === undefined ? { kind: "read", messages } : refuse(flaw);
  } catch (error) {
    return refuse(thrownText(error));
  }
}

/** A vendor refuses a result without its call, and a call without its result. */
function findOpenCall(messages: readonly LlmMessage[]): string | undefined {
  const results = messages.filter(({ role }) => role === "tool");
  const pairs = pairResults(messages);
  if (pairs.length < results.length) return "a result answers no call";
  const answered = new Set(pairs.map(({ call }) => call));
  const open = messages
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
    .find((call) => !answered.has(call));
  return open === undefined ? undefined : `the call ${open.id} has no result`;
}
