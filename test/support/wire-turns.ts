// One small turn on every wire: the path and the body that a client sends.

import type { WireName } from "../../src/core/vendors/table.js";

const GEMINI = "/v1beta/models/m";

/** The path of a whole answer, and of a streamed one. */
export const TURN_PATHS: Readonly<Record<WireName, readonly [whole: string, streamed: string]>> = {
  openai: ["/v1/chat/completions", "/v1/chat/completions"],
  responses: ["/v1/responses", "/v1/responses"],
  anthropic: ["/v1/messages", "/v1/messages"],
  gemini: [`${GEMINI}:generateContent`, `${GEMINI}:streamGenerateContent?alt=sse`],
  bedrock: ["/model/m/converse", "/model/m/converse-stream"],
  cohere: ["/v2/chat", "/v2/chat"],
  ollama: ["/api/chat", "/api/chat"],
};

export function turnBody(name: WireName, content: string, stream = false): Record<string, unknown> {
  if (name === "gemini") return { contents: [{ role: "user", parts: [{ text: content }] }] };
  if (name === "bedrock") return { messages: [{ role: "user", content: [{ text: content }] }] };
  if (name === "responses") return { model: "m", stream, input: content };
  const limit = name === "anthropic" ? { max_tokens: 9 } : {};
  return { model: "m", ...limit, stream, messages: [{ role: "user", content }] };
}
