// An answer of Gemini's generateContent as a turn response. Specification: Gemini API reference, "GenerateContentResponse". A
// stream without `alt=sse` is a JSON list of such answers.

import { defined } from "../../defined.js";
import type { LlmTurnResponse, StopReason } from "../../model/provider.js";
import type { Usage } from "../../model/usage.js";
import { toToolCalls } from "../../providers/calls.js";
import {
  stopWordFields,
  usageFields,
  withAnswerFields,
  type StopWords,
  type UsageParts,
} from "../../wire/answer-fields.js";
import { unknownFields, withMessageFields } from "../../wire/fields.js";
import {
  plainDecoding,
  refuseBody,
  refuseErrorBody,
  toCount,
  toJsonText,
  toList,
  toObject,
  toResponse,
  toText,
  type Decoding,
  type WireObject,
} from "../../http/json-readers.js";
import { joinChunks } from "./chunks.js";
import { readParts } from "./parts.js";

/**
 * Decodes an answer of Gemini. Throws `AgentError` `provider-response` for a body that is an error, or that has neither a candidate nor
 * the reason why the prompt was blocked.
 */
export function decodeGemini(json: unknown, decoding: Decoding = plainDecoding): LlmTurnResponse {
  const body = Array.isArray(json) ? joinChunks(json, decoding) : toObject(json);
  refuseErrorBody(body["error"], decoding);
  const candidates = toList(body["candidates"]);
  const blocked = toText(toObject(body["promptFeedback"])["blockReason"]);
  if (candidates.length === 0 && blocked === "") refuseBody("has no candidates", decoding);
  if (candidates.length > 1) decoding.note("more than one candidate");
  const candidate = toObject(candidates[0]);
  const { content, calls, reasoning, layout } = readParts(toList(toObject(candidate["content"])["parts"]));
  const response = toResponse({
    content,
    toolCalls: toToolCalls(calls),
    reasoning,
    stopReason: blocked === "" ? readStop(candidate["finishReason"], decoding) : "contentFilter",
    usage: readUsage(toObject(body["usageMetadata"])),
    model: toText(body["modelVersion"]),
  });
  const message = withMessageFields(response.message, "gemini", layout === undefined ? {} : { layout });
  const own = {
    ...stopWordFields(stopName(candidate["finishReason"]), response, STOP_WORDS),
    candidate: unknownFields(candidate, ["content", "finishReason", "index", "tokenCount"]),
    promptFeedback: body["promptFeedback"],
    usage: usageFields(toObject(body["usageMetadata"]), USAGE_PARTS),
  };
  return withAnswerFields({ ...response, message }, "gemini", own, decoding);
}

/** By name, and by the number that `enum-encoding=int` asks for. */
const STOP_REASONS: readonly (readonly [number, string, StopReason])[] = [
  [0, "FINISH_REASON_UNSPECIFIED", "stop"],
  [1, "STOP", "stop"],
  [2, "MAX_TOKENS", "length"],
  [3, "SAFETY", "contentFilter"],
  [4, "RECITATION", "contentFilter"],
  [5, "OTHER", "error"],
  [6, "LANGUAGE", "contentFilter"],
  [7, "BLOCKLIST", "contentFilter"],
  [8, "PROHIBITED_CONTENT", "contentFilter"],
  [9, "SPII", "contentFilter"],
  [10, "MALFORMED_FUNCTION_CALL", "error"],
  [11, "IMAGE_SAFETY", "contentFilter"],
  [12, "UNEXPECTED_TOOL_CALL", "error"],
];

function readStop(reason: unknown, decoding: Decoding): StopReason {
  if (reason === undefined || reason === null) return "stop";
  const found = STOP_REASONS.find(([number, name]) => reason === number || reason === name);
  if (found === undefined) decoding.note(`the finish reason ${toJsonText(reason)}`);
  return found?.[2] ?? "stop";
}

function stopName(reason: unknown): string {
  return STOP_REASONS.find(([number, name]) => reason === number || reason === name)?.[1] ?? "";
}

export const STOP_WORDS: StopWords = {
  wire: "gemini",
  field: "finishReason",
  known: Object.fromEntries(STOP_REASONS.map(([, name, reason]) => [name, reason])),
  written: {
    stop: "STOP",
    toolUse: "STOP",
    length: "MAX_TOKENS",
    contentFilter: "SAFETY",
    error: "OTHER",
  },
};

const USAGE_PARTS: UsageParts = {
  fields: ["promptTokensDetails", "candidatesTokensDetails", "cacheTokensDetails", "trafficType"],
};

/** Gemini counts thoughts apart from the candidates. Ours are a part of the output. */
function readUsage(usage: WireObject): Usage | undefined {
  const prompt = toCount(usage["promptTokenCount"]);
  const said = toCount(usage["candidatesTokenCount"]);
  if (prompt === undefined && said === undefined) return undefined;
  const cacheReadTokens = toCount(usage["cachedContentTokenCount"]);
  const reasoningTokens = toCount(usage["thoughtsTokenCount"]);
  return {
    inputTokens: toCount((prompt ?? 0) + (toCount(usage["toolUsePromptTokenCount"]) ?? 0)) ?? 0,
    outputTokens: toCount((said ?? 0) + (reasoningTokens ?? 0)) ?? 0,
    ...defined({ cacheReadTokens, reasoningTokens }),
  };
}
