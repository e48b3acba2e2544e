// A turn response as an answer of Converse, whole or streamed, the inverse of `decodeBedrock`. This wire does not carry the cost, the model,
// or a `finalAnswer` other than the content. Clients fail on a missing usage, so it is sent as zeros.

import { defined } from "../../defined.js";
import type { JsonObject } from "../../canon/value.js";
import type { LlmToolCall, Reasoning } from "../../model/message.js";
import type { LlmTurnResponse } from "../../model/provider.js";
import type { Usage } from "../../model/usage.js";
import { toFrame } from "../../http/event-frames.js";
import { toObject } from "../../http/json-readers.js";
import { citedTexts, stopWordOf, withUsageFields } from "../../wire/answer-fields.js";
import { cutText, lastAt, type Cut, type TimedEvent, type TimedText } from "../../wire/cut.js";
import { wireFieldsOf } from "../../wire/fields.js";
import type { WireStamp } from "../../wire/pieces.js";
import { argumentsText } from "../../providers/calls.js";
import { STOP_WORDS } from "./decode.js";

/** A block: whole, as it opens in a stream, and the deltas that fill it with their times. */
interface Block {
  whole: JsonObject;
  opening?: JsonObject;
  deltas: [JsonObject, number][];
}

/** Writes a response as an answer of Converse. */
export function writeBedrock(response: LlmTurnResponse): JsonObject {
  return {
    output: { message: { role: "assistant", content: toBlocks(response).map(({ whole }) => whole) } },
    ...writeStop(response),
    ...writeMetadata(response),
  };
}

/** The frames of a stream, cut as `cut` says, each with the time of its content. */
export function bedrockEvents(response: LlmTurnResponse, _stamp: WireStamp, cut?: Cut): TimedEvent[] {
  const event = (type: string, data: JsonObject, at = 0): TimedEvent => ({ text: toEventFrame(type, data), at });
  return [
    event("messageStart", { role: "assistant" }),
    ...toBlocks(response, cut).flatMap(({ opening, deltas }, contentBlockIndex) => [
      ...(opening === undefined
        ? []
        : [event("contentBlockStart", { start: opening, contentBlockIndex }, deltas[0]?.[1])]),
      ...deltas.map(([delta, at]) => event("contentBlockDelta", { delta, contentBlockIndex }, at)),
      event("contentBlockStop", { contentBlockIndex }),
    ]),
    event("messageStop", writeStop(response)),
    event("metadata", writeMetadata(response)),
  ];
}

function writeStop(response: LlmTurnResponse): JsonObject {
  const { additionalModelResponseFields } = wireFieldsOf(response, "bedrock");
  return { stopReason: stopWordOf(response, STOP_WORDS), ...defined({ additionalModelResponseFields }) };
}

function writeMetadata(response: LlmTurnResponse): JsonObject {
  const { trace, answer } = wireFieldsOf(response, "bedrock");
  const usage = withUsageFields(writeUsage(response.usage), response, "bedrock");
  return { usage, metrics: { latencyMs: 0 }, ...defined({ trace }), ...(toObject(answer) as JsonObject) };
}

function toEventFrame(type: string, data: JsonObject): Uint8Array {
  const headers = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  return toFrame(headers, JSON.stringify(data));
}

/** Thoughts first, then the text, then the calls. */
function toBlocks(response: LlmTurnResponse, cut?: Cut): Block[] {
  const { content, toolCalls = [], reasoning = [] } = response.message;
  const { texts } = wireFieldsOf(response, "bedrock");
  return [
    ...reasoning.map((thought) => toThought(thought, cut)),
    ...citedTexts(content, texts).flatMap((text) => toTextBlock(text, cut)),
    ...toolCalls.map((call, index) => toCallBlock(call, index, cut)),
  ];
}

function toThought(thought: Reasoning, cut: Cut | undefined): Block {
  if (thought.type === "redacted") {
    const whole = { reasoningContent: { redactedContent: thought.data } };
    return { whole, deltas: [[whole, 0]] };
  }
  const { text, signature } = thought;
  const pieces = text === "" ? [{ text, at: 0 }] : cutText(cut, "reasoning", text);
  return {
    whole: { reasoningContent: { reasoningText: { text, ...defined({ signature }) } } },
    deltas: [
      ...toDeltas(pieces, (piece) => ({ reasoningContent: { text: piece } })),
      ...toDeltas(signature === undefined ? [] : [{ text: signature, at: lastAt(pieces) }], (piece) => ({
        reasoningContent: { signature: piece },
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
  const sources = citations.map((citation): [JsonObject, number] => [{ citation }, lastAt(pieces)]);
  const whole = citations.length === 0 ? { text } : { citationsContent: { content: [{ text }], citations } };
  return [{ whole, deltas: [...toDeltas(pieces, (piece) => ({ text: piece })), ...sources] }];
}

/** Arguments that were not an object are sent as the text that the model wrote. */
function toCallBlock(call: LlmToolCall, index: number, cut: Cut | undefined): Block {
  const base = { toolUseId: call.id, name: call.name };
  return {
    whole: { toolUse: { ...base, input: call.malformedArguments ?? call.arguments } },
    opening: { toolUse: base },
    deltas: toDeltas(cutText(cut, index, argumentsText(call)), (input) => ({ toolUse: { input } })),
  };
}

/** `inputTokens` leaves out tokens of the cache. Ours counts all of them. */
function writeUsage(usage: Usage = { inputTokens: 0, outputTokens: 0 }): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    inputTokens: Math.max(0, inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...defined({ cacheReadInputTokens: cacheReadTokens, cacheWriteInputTokens: cacheWriteTokens }),
  };
}
