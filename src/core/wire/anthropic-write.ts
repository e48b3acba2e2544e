// A turn response as a message of the Messages API, whole or streamed, the inverse of `decodeAnthropic`. Not carried by this
// wire: the cost, and a `finalAnswer` other than the content. Clients take a missing usage for a defect, so it comes as
// zeros. The API has no word for the stop reason `error`; it is sent as it is, which no client takes for another.

import type { JsonObject, JsonValue } from "../canon/value.js";
import type { LlmToolCall, Reasoning } from "../model/message.js";
import type { LlmTurnResponse, StopReason } from "../model/provider.js";
import type { Usage } from "../model/usage.js";
import { argumentsText } from "./openai-write.js";
import { modelOf, toPieces, toSse, type WireStamp } from "./pieces.js";

const STOP_REASONS: Readonly<Record<StopReason, string>> = {
  stop: "end_turn",
  toolUse: "tool_use",
  length: "max_tokens",
  contentFilter: "refusal",
  error: "error",
};

/** A block, as it opens in a stream, and the deltas that fill it. */
interface Block {
  whole: JsonObject;
  opening: JsonObject;
  deltas: JsonObject[];
}

/** The `message` object. */
export function writeAnthropic(response: LlmTurnResponse, stamp: WireStamp): JsonObject {
  return {
    ...head(response, stamp),
    content: toBlocks(response).map((block) => block.whole),
    stop_reason: STOP_REASONS[response.stopReason],
    stop_sequence: null,
    usage: writeUsage(response.usage),
  };
}

/** The same as server-sent events, to be sent one after the other. */
export function streamAnthropic(response: LlmTurnResponse, stamp: WireStamp): string[] {
  const usage = writeUsage(response.usage);
  const message = {
    ...head(response, stamp),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 0 },
  };
  const events: JsonObject[] = [
    { type: "message_start", message },
    ...toBlocks(response).flatMap(({ opening, deltas }, index) => [
      { type: "content_block_start", index, content_block: opening },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: STOP_REASONS[response.stopReason], stop_sequence: null },
      usage,
    },
    { type: "message_stop" },
  ];
  return events.map((event) => toSse(event, event["type"] as string));
}

function head(response: LlmTurnResponse, stamp: WireStamp): JsonObject {
  return { id: `msg_${stamp.id}`, type: "message", role: "assistant", model: modelOf(response, stamp) };
}

/** Thoughts first, then the text, then the calls: the order in which the API writes and takes them. */
function toBlocks({ message }: LlmTurnResponse): Block[] {
  const { content, toolCalls = [], reasoning = [] } = message;
  return [
    ...reasoning.map(toThought),
    ...(content === "" ? [] : [toTextBlock(content)]),
    ...toolCalls.map(toCallBlock),
  ];
}

function toThought(thought: Reasoning): Block {
  if (thought.type === "redacted") {
    const whole = { type: "redacted_thinking", data: thought.data };
    return { whole, opening: whole, deltas: [] };
  }
  const { text, signature = "" } = thought;
  return {
    whole: { type: "thinking", thinking: text, signature },
    opening: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...toPieces(text).map((thinking) => ({ type: "thinking_delta", thinking })),
      ...(signature === "" ? [] : [{ type: "signature_delta", signature }]),
    ],
  };
}

function toTextBlock(text: string): Block {
  return {
    whole: { type: "text", text },
    opening: { type: "text", text: "" },
    deltas: toPieces(text).map((piece) => ({ type: "text_delta", text: piece })),
  };
}

/** Arguments that were no object come whole as the text they were, and streamed as the model wrote them. */
function toCallBlock(call: LlmToolCall): Block {
  const base = { type: "tool_use", id: call.id, name: call.name };
  const input: JsonValue = call.malformedArguments ?? call.arguments;
  return {
    whole: { ...base, input },
    opening: { ...base, input: {} },
    deltas: toPieces(argumentsText(call)).map((text) => ({ type: "input_json_delta", partial_json: text })),
  };
}

/** `input_tokens` leaves out what went through the cache; ours counts all of it. */
function writeUsage(usage: Usage = { inputTokens: 0, outputTokens: 0 }): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    input_tokens: Math.max(0, inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    ...(cacheWriteTokens === undefined ? {} : { cache_creation_input_tokens: cacheWriteTokens }),
    ...(cacheReadTokens === undefined ? {} : { cache_read_input_tokens: cacheReadTokens }),
    output_tokens: outputTokens,
    ...(reasoningTokens === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoningTokens } }),
  };
}
