// An answer of Ollama's chat API as a turn response. Arguments come as an object. Ids and stop reasons are often absent.

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
  toStopReason,
  toText,
  type Decoding,
  type WireObject,
} from "../../http/json-readers.js";

/** Decodes an answer of Ollama's chat API. Throws `provider-response` for a body that is an error or has no message. */
export function decodeOllama(json: unknown, decoding: Decoding = plainDecoding): LlmTurnResponse {
  const body = toObject(json);
  refuseErrorBody(body["error"], decoding);
  const message = toObject(body["message"]);
  if (Object.keys(message).length === 0) refuseBody("has no message", decoding);
  if (toList(message["images"]).length > 0) decoding.note("images");
  if (toList(body["logprobs"]).length > 0) decoding.note("logprobs");

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
  return toStopReason(
    toText(body["done_reason"]),
    { "": "stop", stop: "stop", length: "length" },
    "done reason",
    decoding,
  );
}

/** The prompt's count is absent when all of it was cached. */
function readUsage(body: WireObject): Usage | undefined {
  const inputTokens = toCount(body["prompt_eval_count"]);
  const outputTokens = toCount(body["eval_count"]);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 };
}
