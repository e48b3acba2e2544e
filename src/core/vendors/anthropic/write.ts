// A turn response as a message of the Messages API, whole or streamed, the inverse of `decodeAnthropic`. This wire does not carry the
// cost, or a `finalAnswer` other than the content. Clients fail on a missing usage, so it is sent as zeros.

import { defined } from "../../defined.js";
import type { JsonObject, JsonValue } from "../../canon/value.js";
import type { LlmToolCall, Reasoning } from "../../model/message.js";
import type { LlmTurnResponse } from "../../model/provider.js";
import type { Usage } from "../../model/usage.js";
import { cutText, lastAt, type Cut, type TimedText } from "../../wire/cut.js";
import { citedTexts, stopWordOf, withUsageFields } from "../../wire/answer-fields.js";
import { toObject } from "../../http/json-readers.js";
import { wireFieldsOf } from "../../wire/fields.js";
import { modelOf, toSse, type WireStamp } from "../../wire/pieces.js";
import { argumentsText } from "../../providers/calls.js";
import { STOP_WORDS } from "./decode.js";

/** A block: whole, as it opens in a stream, and the deltas that fill it with their times. */
interface Block {
  whole: JsonObject;
  opening: JsonObject;
  deltas: [JsonObject, number][];
}

export function writeAnthropic(response: LlmTurnResponse, stamp: WireStamp): JsonObject {
  return {
    ...head(response, stamp),
    content: toBlocks(response).map((block) => block.whole),
    ...writeStop(response),
    ...ownFields(response),
    usage: writeUsage(response),
  };
}

/** The events, cut as `cut` says, each with the time of what it carries. */
export function anthropicEvents(response: LlmTurnResponse, stamp: WireStamp, cut?: Cut): TimedText[] {
  const usage = writeUsage(response);
  // In a stream, this field is next to the delta, and all others are in it.
  const { context_management, ...own } = ownFields(response);
  const message = {
    ...head(response, stamp),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 0 },
  };
  const event = (data: JsonObject, at = 0): TimedText => ({ text: toSse(data, data["type"] as string), at });
  return [
    event({ type: "message_start", message }),
    ...toBlocks(response, cut).flatMap(({ opening, deltas }, index) => [
      event({ type: "content_block_start", index, content_block: opening }, deltas[0]?.[1]),
      ...deltas.map(([delta, at]) => event({ type: "content_block_delta", index, delta }, at)),
      event({ type: "content_block_stop", index }),
    ]),
    event({
      type: "message_delta",
      delta: { ...writeStop(response), ...own },
      usage,
      ...defined({ context_management }),
    }),
    event({ type: "message_stop" }),
  ];
}

/** The stop sequence belongs to its word alone. */
function writeStop(response: LlmTurnResponse): JsonObject {
  const word = stopWordOf(response, STOP_WORDS);
  const { stop_sequence: sequence = null } = wireFieldsOf(response, "anthropic");
  return { stop_reason: word, stop_sequence: word === "stop_sequence" ? sequence : null };
}

/** Fields of the recorded message that our response has no place for. */
function ownFields(response: LlmTurnResponse): JsonObject {
  return toObject(wireFieldsOf(response, "anthropic")["message"]) as JsonObject;
}

function head(response: LlmTurnResponse, stamp: WireStamp): JsonObject {
  return { id: `msg_${stamp.id}`, type: "message", role: "assistant", model: modelOf(response, stamp) };
}

/** Thoughts first, then the text, then the calls: the order in which the API writes and takes them. */
function toBlocks(response: LlmTurnResponse, cut?: Cut): Block[] {
  const { content, toolCalls = [], reasoning = [] } = response.message;
  const { texts } = wireFieldsOf(response, "anthropic");
  return [
    ...reasoning.map((thought) => toThought(thought, cut)),
    ...citedTexts(content, texts).flatMap((text) => toTextBlock(text, cut)),
    ...toolCalls.map((call, index) => toCallBlock(call, index, cut)),
  ];
}

function toThought(thought: Reasoning, cut: Cut | undefined): Block {
  if (thought.type === "redacted") {
    const whole = { type: "redacted_thinking", data: thought.data };
    return { whole, opening: whole, deltas: [] };
  }
  const { text, signature = "" } = thought;
  const pieces = cutText(cut, "reasoning", text);
  return {
    whole: { type: "thinking", thinking: text, signature },
    opening: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...toDeltas(pieces, (thinking) => ({ type: "thinking_delta", thinking })),
      ...toDeltas(signature === "" ? [] : [{ text: signature, at: lastAt(pieces) }], (text) => ({
        type: "signature_delta",
        signature: text,
      })),
    ],
  };
}

function toDeltas(pieces: readonly TimedText[], write: (text: string) => JsonObject): [JsonObject, number][] {
  return pieces.map(({ text, at }) => [write(text), at]);
}

/** The sources of a text come after it, with its last piece. */
function toTextBlock({ text, citations }: ReturnType<typeof citedTexts>[number], cut: Cut | undefined): Block[] {
  if (text === "" && citations.length === 0) return [];
  const pieces = cutText(cut, "text", text);
  const sources = citations.map((citation): [JsonObject, number] => [
    { type: "citations_delta", citation },
    lastAt(pieces),
  ]);
  const isCited = citations.length > 0;
  return [
    {
      whole: { type: "text", text, ...(isCited ? { citations } : {}) },
      opening: { type: "text", text: "", ...(isCited ? { citations: [] } : {}) },
      deltas: [...toDeltas(pieces, (piece) => ({ type: "text_delta", text: piece })), ...sources],
    },
  ];
}

/** Arguments that were not an object are sent as the text that the model wrote. */
function toCallBlock(call: LlmToolCall, index: number, cut: Cut | undefined): Block {
  const base = { type: "tool_use", id: call.id, name: call.name };
  const input: JsonValue = call.malformedArguments ?? call.arguments;
  return {
    whole: { ...base, input },
    opening: { ...base, input: {} },
    deltas: toDeltas(cutText(cut, index, argumentsText(call)), (text) => ({
      type: "input_json_delta",
      partial_json: text,
    })),
  };
}

/** `input_tokens` leaves out tokens of the cache. Ours counts all of them. */
function writeUsage(response: LlmTurnResponse): JsonObject {
  const usage: Usage = response.usage ?? { inputTokens: 0, outputTokens: 0 };
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  const written = {
    input_tokens: Math.max(0, inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    ...defined({ cache_creation_input_tokens: cacheWriteTokens, cache_read_input_tokens: cacheReadTokens }),
    output_tokens: outputTokens,
    ...(reasoningTokens === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoningTokens } }),
  };
  return withUsageFields(written, response, "anthropic");
}
