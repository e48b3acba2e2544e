// A chat completion as a turn response, as OpenAI and its many imitators write it: content that is null or a list, legacy calls,
// empty placeholders for unused fields, errors with status 200.

import { defined } from "../../defined.js";
import { isPlainObject, type JsonObject } from "../../canon/value.js";
import type { Reasoning } from "../../model/message.js";
import type { LlmTurnResponse, StopReason } from "../../model/provider.js";
import { costToUsd, toCost, type Usage } from "../../model/usage.js";
import { toToolCalls, type WireCall } from "../../providers/calls.js";
import {
  stopWordFields,
  usageFields,
  withAnswerFields,
  type StopWords,
  type UsageParts,
} from "../../wire/answer-fields.js";
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
import { nested } from "../../wire/fields.js";
import { ownOfCall } from "./call-fold.js";

/** Decodes a chat completion. Throws `provider-response` for a body that is an error or has no message. */
export function decodeOpenAi(json: unknown, decoding: Decoding = plainDecoding): LlmTurnResponse {
  const body = toObject(json);
  refuseErrorBody(body["error"], decoding);
  const choices = toList(body["choices"]);
  const choice = toObject(choices[0]);
  refuseErrorBody(choice["error"], decoding);
  const message = toObject(choice["message"]);
  if (Object.keys(message).length === 0) refuseBody("has no message", decoding);
  if (choices.length > 1) decoding.note("more than one choice");
  if (toList(message["images"]).length > 0) decoding.note("images");

  const parts = readParts(message["content"], decoding);
  const refusal = toText(message["refusal"]) || parts.refusal;
  const said = parts.text || readAudio(message["audio"], decoding);
  const word = finishWord(choice);
  const response = toResponse({
    content: [said, refusal].filter((text) => text !== "").join("\n"),
    toolCalls: toToolCalls(readCalls(message)),
    reasoning: readReasoning(message, parts),
    stopReason: refusal === "" ? toStopReason(word, STOP_REASONS, "finish reason", decoding) : "contentFilter",
    isRefusal: refusal !== "" && said === "",
    usage: readUsage(toObject(body["usage"])),
    costUsd: readCost(toObject(body["usage"])),
    model: toText(body["model"]),
  });
  const { annotations } = message;
  const own = {
    // Calls are written in their present form, to which the older word does not belong.
    ...stopWordFields(word === "function_call" ? "" : word, response, STOP_WORDS),
    annotations,
    reasoning_details: signedDetails(message),
    calls: callFields(message),
    logprobs: readLogprobs(choice["logprobs"]),
    content_filter_results: choice["content_filter_results"],
    prompt_filter_results: body["prompt_filter_results"],
    service_tier: body["service_tier"],
    system_fingerprint: body["system_fingerprint"],
    usage: usageFields(toObject(body["usage"]), USAGE_PARTS),
  };
  return withAnswerFields(response, "openai", own, decoding);
}

/** Content as one text. Mistral sends a list with thinking in it, and a refusal may be a part, too. */
function readParts(content: unknown, decoding: Decoding) {
  const parts = { text: toText(content), refusal: "", reasoning: "", signature: "" };
  for (const item of toList(content)) {
    const part = toObject(item);
    const type = toText(part["type"]);
    if (type === "text") parts.text += toText(part["text"]);
    else if (type === "refusal") parts.refusal += toText(part["refusal"]);
    else if (type === "thinking") {
      for (const thought of toList(part["thinking"])) parts.reasoning += toText(toObject(thought)["text"]);
      parts.signature = toText(part["signature"]) || parts.signature;
    } else decoding.note(`a content part of type "${type}"`);
  }
  return parts;
}

/** Speech counts as an answer by its transcript. */
function readAudio(audio: unknown, decoding: Decoding): string {
  if (toText(toObject(audio)["data"]) !== "") decoding.note("audio");
  return toText(toObject(audio)["transcript"]);
}

function readCalls(message: WireObject): WireCall[] {
  const calls = toList(message["tool_calls"]).map((item) => {
    const call = toObject(item);
    const named = toObject(call["function"]);
    // A custom tool takes free text. Some gateways add an empty `custom` to every function.
    const custom = toObject(call["custom"]);
    return toText(named["name"]) === "" && toText(custom["name"]) !== ""
      ? { id: call["id"], name: custom["name"], arguments: custom["input"] }
      : { id: call["id"], name: named["name"], arguments: named["arguments"] };
  });
  if (calls.length > 0) return calls;
  const legacy = toObject(message["function_call"]);
  if (toText(legacy["name"]) === "") return [];
  return [{ id: undefined, name: legacy["name"], arguments: legacy["arguments"] }];
}

/** Fields of calls, by their places. */
function callFields(message: WireObject): JsonObject {
  const found = toList(message["tool_calls"]).map((call, place) => nested(String(place), ownOfCall(toObject(call))));
  return Object.assign({}, ...found) as JsonObject;
}

/** Thoughts under any of the names in use. Mistral alone takes them back, and gives them a signature. */
function readReasoning(
  message: WireObject,
  { reasoning, signature }: { reasoning: string; signature: string },
): Reasoning[] {
  const details = detailsOf(message).map((detail) => toText(detail["text"]) || toText(detail["summary"]));
  const plain = toText(message["reasoning_content"]) || toText(message["reasoning"]);
  const texts = plain === "" ? details : [plain];
  const own: Reasoning = { type: "text", text: reasoning, ...(signature === "" ? {} : { signature }) };
  return [own, ...texts.map((text): Reasoning => ({ type: "text", text }))].filter(
    (thought) => thought.type === "text" && thought.text !== "",
  );
}

function detailsOf(message: WireObject): WireObject[] {
  return toList(message["reasoning_details"]).map(toObject);
}

/** OpenRouter's details of a thought, if they hold what its texts do not: a signature or encrypted data. */
function signedDetails(message: WireObject): WireObject[] | undefined {
  const details = detailsOf(message);
  const isSigned = details.some((detail) => toText(detail["signature"]) !== "" || toText(detail["data"]) !== "");
  return isSigned ? details : undefined;
}

/** finish_reason of OpenAI, Mistral (model_length), DeepSeek (insufficient_system_resource) and Hugging Face (eos). */
const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  "": "stop",
  stop: "stop",
  stop_sequence: "stop",
  end_turn: "stop",
  eos: "stop",
  eos_token: "stop",
  tool_calls: "toolUse",
  function_call: "toolUse",
  tool_use: "toolUse",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "contentFilter",
  safety: "contentFilter",
  error: "error",
  insufficient_system_resource: "error",
};

export const STOP_WORDS: StopWords = {
  wire: "openai",
  field: "finish_reason",
  known: STOP_REASONS,
  written: {
    stop: "stop",
    toolUse: "tool_calls",
    length: "length",
    contentFilter: "content_filter",
    error: "error",
  },
};

function finishWord(choice: WireObject): string {
  return toText(choice["finish_reason"]) || toText(toObject(choice["finish_details"])["type"]);
}

/** Undefined for an absent or empty list. Hosts also send lists that are empty or null. */
function readLogprobs(value: unknown): WireObject | undefined {
  const lists = Object.entries(toObject(value)).filter(([, list]) => toList(list).length > 0);
  return lists.length === 0 ? undefined : Object.fromEntries(lists);
}

const USAGE_PARTS: UsageParts = {
  fields: ["prompt_tokens_details", "completion_tokens_details"],
  known: ["cached_tokens", "cache_write_tokens", "reasoning_tokens"],
};

function readUsage(usage: WireObject): Usage | undefined {
  const inputTokens = toCount(usage["prompt_tokens"]);
  const outputTokens = toCount(usage["completion_tokens"]);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const input = toObject(usage["prompt_tokens_details"]);
  const output = toObject(usage["completion_tokens_details"]);
  const cacheReadTokens = toCount(input["cached_tokens"]) ?? toCount(usage["prompt_cache_hit_tokens"]);
  const cacheWriteTokens = toCount(input["cache_write_tokens"]);
  const reasoningTokens = toCount(output["reasoning_tokens"]) ?? toCount(usage["reasoning_tokens"]);
  // xAI does not count reasoning as a part of the completion, which its total shows.
  const apart = (toCount(usage["total_tokens"]) ?? 0) - (inputTokens ?? 0) - (outputTokens ?? 0);
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: (outputTokens ?? 0) + (apart > 0 && apart === reasoningTokens ? apart : 0),
    ...defined({ cacheReadTokens, cacheWriteTokens, reasoningTokens }),
  };
}

/**
 * The cost of a turn in USD, as OpenRouter and Vercel's gateway report it: `usage.cost`, with `cost_details`. For a caller's own key
 * at the vendor behind (`is_byok`), `cost` is only the gateway's fee, and the vendor's bill is added. Undefined for a figure that is
 * too large to be counted exactly.
 */
function readCost(usage: WireObject): number | undefined {
  const { cost, cost_details: details, is_byok: isOwnKey } = usage;
  if (typeof cost !== "number" || !isPlainObject(details)) return undefined;
  const costUsd = cost + (isOwnKey === true ? Number(details["upstream_inference_cost"] ?? 0) : 0);
  if (!(costUsd >= 0)) return undefined;
  const exact = toCost(costUsd);
  return Number.isSafeInteger(exact.microCents) ? costToUsd(exact) : undefined;
}
