// An answer of Cohere's chat API (v2) as a turn response. The words before tool calls, its `tool_plan`, are the text of the answer. The
// body does not name the model. Usage counts all tokens: `billed_units` leaves out those that Cohere adds to a prompt.

import { defined } from "../../defined.js";
import type { Reasoning } from "../../model/message.js";
import type { LlmTurnResponse, StopReason } from "../../model/provider.js";
import type { Usage } from "../../model/usage.js";
import { toToolCalls } from "../../providers/calls.js";
import { stopWordFields, usageFields, withAnswerFields, type StopWords } from "../../wire/answer-fields.js";
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

/** Decodes an answer of Cohere's chat API. Throws `provider-response` for a body that is an error or has no message. */
export function decodeCohere(json: unknown, decoding: Decoding = plainDecoding): LlmTurnResponse {
  const body = toObject(json);
  refuseCohereError(body, decoding);
  const message = toObject(body["message"]);
  if (Object.keys(message).length === 0) refuseBody("has no message", decoding);
  if (toList(body["logprobs"]).length > 0) decoding.note("logprobs");

  const { text, reasoning } = readParts(message["content"], decoding);
  const calls = toList(message["tool_calls"]).map((item) => {
    const call = toObject(item);
    const named = toObject(call["function"]);
    return { id: call["id"], name: named["name"], arguments: named["arguments"] };
  });
  const word = toText(body["finish_reason"]);
  const response = toResponse({
    content: toText(message["tool_plan"]) + text,
    toolCalls: toToolCalls(calls),
    reasoning,
    stopReason: toStopReason(word, FINISH_REASONS, "finish reason", decoding),
    usage: readUsage(toObject(body["usage"])),
    model: "",
  });
  const own = {
    ...stopWordFields(word, response, STOP_WORDS),
    citations: message["citations"],
    usage: usageFields(toObject(body["usage"]), { fields: ["billed_units"] }),
  };
  return withAnswerFields(response, "cohere", own, decoding);
}

/** Throws for an error, whose text is in `message` or, at the end of a stream, in `error`. */
export function refuseCohereError({ message, error, error_type: type }: WireObject, decoding: Decoding): void {
  const words = typeof message === "string" ? message : error;
  refuseErrorBody(typeof words === "string" && words !== "" ? { message: words, type } : words, decoding);
}

function readParts(content: unknown, decoding: Decoding): { text: string; reasoning: Reasoning[] } {
  let text = toText(content);
  const reasoning: Reasoning[] = [];
  for (const item of toList(content)) {
    const part = toObject(item);
    const type = toText(part["type"]);
    if (type === "text") text += toText(part["text"]);
    else if (type !== "thinking") decoding.note(`a content part of type "${type}"`);
    else if (toText(part["thinking"]) !== "") reasoning.push({ type: "text", text: toText(part["thinking"]) });
  }
  return { text, reasoning };
}

/** The API's reference has no word for a content filter. Its older API says ERROR_TOXIC. */
const FINISH_REASONS: Readonly<Record<string, StopReason>> = {
  "": "stop",
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  TOOL_CALL: "toolUse",
  MAX_TOKENS: "length",
  ERROR_TOXIC: "contentFilter",
  ERROR: "error",
  TIMEOUT: "error",
};

export const STOP_WORDS: StopWords = {
  wire: "cohere",
  field: "finish_reason",
  known: FINISH_REASONS,
  written: {
    stop: "COMPLETE",
    toolUse: "TOOL_CALL",
    length: "MAX_TOKENS",
    contentFilter: "ERROR_TOXIC",
    error: "ERROR",
  },
};

function readUsage(usage: WireObject): Usage | undefined {
  const tokens = toObject(usage["tokens"]);
  const billed = toObject(usage["billed_units"]);
  const inputTokens = toCount(tokens["input_tokens"]) ?? toCount(billed["input_tokens"]);
  const outputTokens = toCount(tokens["output_tokens"]) ?? toCount(billed["output_tokens"]);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const cacheReadTokens = toCount(usage["cached_tokens"]);
  const reasoningTokens = toCount(tokens["reasoning_tokens"]);
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...defined({ cacheReadTokens, reasoningTokens }),
  };
}
