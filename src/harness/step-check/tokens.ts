// The most tokens that a prompt can have, without a tokenizer: current ones make at most one token per byte.

import { TOKENS_PER_IMAGE, type LlmMessage, type LlmToolDefinition } from "../../core/index.js";

/** The most tokens that a vendor adds around a message. */
const TOKENS_PER_MESSAGE = 16;

/** An upper bound, several times the true count for plain English. Images count as a vendor's largest. */
export function mostTokens(messages: readonly LlmMessage[], tools: readonly LlmToolDefinition[]): number {
  let images = 0;
  const text = JSON.stringify([messages, tools], (_key, value: unknown) => {
    if (!isImage(value)) return value;
    images++;
    return null;
  });
  return new TextEncoder().encode(text).length + TOKENS_PER_MESSAGE * messages.length + TOKENS_PER_IMAGE * images;
}

function isImage(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && value.type === "image";
}
