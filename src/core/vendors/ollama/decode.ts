// An answer of Ollama's chat API as a turn response. Arguments come as an object; ids and stop reasons are often absent.

import type { LlmTurnResponse, StopReason } from "../../model/provider.js";
import type { Usage } from "../../model/usage.js";
import { toToolCalls } from "../../providers/calls.js";
import {
  plainDecoding,
  refuseBody,
  refuseErrorBody,
  toCount,
  toList,
  toObject,
  toResponse,
  toText,
  type Decoding,
  type WireObject,
} from "../../http/json-readers.js";

/**
 * An answer of Ollama's chat API as a response. Throws `AgentError` `provider-response` when the body is an error or
 * holds no message.
 */
export function decodeOllama(json: unknown, decoding: Decoding = plainDecoding): LlmTurnResponse {
  const body = toObject(json);
  refuseErrorBody(body["error"], decoding);
  const message = toObject(body["message"]);
  if (Object.keys(message).length === 0) refuseBody("has no message", decoding);
  if (toList(message["images"]).length > 0) decoding.note("images");

  const calls = toList(message["tool_calls"]).map((item) => {
    const call = toObject(item);
    const named = toObject(call["function"]);
    return { id: call["id"], name: named["name"], arguments: named["arguments"] };
  });
  const thinking = toText(message["thinking"]);
  return toResponse({
    content: toText(message["content"]),
    toolCalls: toToolCalls(calls),
    reasoning: thinking === "" ? [] : [{ type: "text", text: thinking }],
    stopReason: readStop(body, decoding),
    usage: readUsage(body),
    model: toText(body["model"]),
  });
}

function readStop(body: WireObject, decoding: Decoding): StopReason {
  if (body["done"] === false) return "length";
  const word = toText(body["done_reason"]);
  switch (word) {
    case "":
    case "stop":
      return "stop";
    case "length":
      return "length";
  }
  decoding.note(`the done reason "${word}"`);
  return "stop";
}

/** The prompt's count is absent when all of it was cached. */
function readUsage(body: WireObject): Usage | undefined {
  const inputTokens = toCount(body["prompt_eval_count"]);
  const outputTokens = toCount(body["eval_count"]);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
}
