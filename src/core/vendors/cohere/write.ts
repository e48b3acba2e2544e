// A turn response as an answer of Cohere's chat API (v2), whole or streamed, the inverse of `decodeCohere`. This wire does not carry the
// model, the cost, tokens written to a cache, signatures, redacted thoughts, or a `finalAnswer` other than the content.

import { defined } from "../../defined.js";
import type { JsonObject, JsonValue } from "../../canon/value.js";
import type { LlmToolCall } from "../../model/message.js";
import type { LlmTurnResponse } from "../../model/provider.js";
import type { Usage } from "../../model/usage.js";
import { stopWordOf, withUsageFields } from "../../wire/answer-fields.js";
import { cutText, type Cut, type TimedText } from "../../wire/cut.js";
import { wireFieldsOf } from "../../wire/fields.js";
import { toList } from "../../http/json-readers.js";
import { toSse, type WireStamp } from "../../wire/pieces.js";
import { argumentsText } from "../../providers/calls.js";
import { STOP_WORDS } from "./decode.js";

export function writeCohere(response: LlmTurnResponse, stamp: WireStamp): JsonObject {
  const { content, toolCalls = [] } = response.message;
  const { citations } = wireFieldsOf(response, "cohere");
  const thoughts = thoughtsOf(response).map((thinking) => ({ type: "thinking", thinking }));
  const parts = [...thoughts, ...(toolCalls.length > 0 ? [] : [{ type: "text", text: content }])];
  return {
    id: stamp.id,
    message: {
      role: "assistant",
      ...(parts.length === 0 ? {} : { content: parts }),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(writeCall) }),
      ...(toolCalls.length === 0 || content === "" ? {} : { tool_plan: content }),
      ...defined({ citations }),
    },
    ...ending(response),
  };
}

/** The events of a stream, each with the time of its content. */
export function cohereEvents(response: LlmTurnResponse, stamp: WireStamp, cut?: Cut): TimedText[] {
  const { content, toolCalls = [] } = response.message;
  const thoughts = thoughtsOf(response);
  const head = { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] };
  const sources = citationEvents(response);
  const plan = toolCalls.length === 0 ? [] : cutText(cut, "text", content);
  return [
    event("message-start", { id: stamp.id, delta: { message: head } }),
    ...thoughts.flatMap((thought, index) => contentEvents("thinking", index, cutText(cut, "reasoning", thought))),
    ...plan.map(({ text, at }) => event("tool-plan-delta", { delta: { message: { tool_plan: text } } }, at)),
    ...(toolCalls.length > 0
      ? sources
      : contentEvents("text", thoughts.length, cutText(cut, "text", content), sources)),
    ...toolCalls.flatMap((call, index) => callEvents(call, index, cut)),
    { text: event("message-end", { delta: ending(response) }).text + toSse("[DONE]"), at: 0 },
  ];
}

function event(type: string, fields: JsonObject, at = 0): TimedText {
  return { text: toSse({ type, ...fields }, type), at };
}

function contentEvents(
  type: "text" | "thinking",
  index: number,
  pieces: readonly TimedText[],
  sources: readonly TimedText[] = [],
): TimedText[] {
  const toDelta = (content: JsonObject): JsonObject => ({ index, delta: { message: { content } } });
  return [
    event("content-start", toDelta({ type, [type]: "" }), pieces[0]?.at),
    ...pieces.map(({ text, at }) => event("content-delta", toDelta({ [type]: text }), at)),
    ...sources,
    event("content-end", { index }),
  ];
}

function citationEvents(response: LlmTurnResponse): TimedText[] {
  return toList(wireFieldsOf(response, "cohere")["citations"]).flatMap((citation, index) => [
    event("citation-start", { index, delta: { message: { citations: citation as JsonValue } } }),
    event("citation-end", { index }),
  ]);
}

function callEvents(call: LlmToolCall, index: number, cut: Cut | undefined): TimedText[] {
  const pieces = cutText(cut, index, argumentsText(call));
  const toDelta = (calls: JsonObject): JsonObject => ({ index, delta: { message: { tool_calls: calls } } });
  const { id, name } = call;
  return [
    event("tool-call-start", toDelta({ id, type: "function", function: { name, arguments: "" } }), pieces[0]?.at),
    ...pieces.map(({ text, at }) => event("tool-call-delta", toDelta({ function: { arguments: text } }), at)),
    event("tool-call-end", { index }),
  ];
}

function thoughtsOf({ message }: LlmTurnResponse): string[] {
  return (message.reasoning ?? []).flatMap((thought) =>
    thought.type === "text" && thought.text !== "" ? thought.text : [],
  );
}

function writeCall(call: LlmToolCall): JsonObject {
  return { id: call.id, type: "function", function: { name: call.name, arguments: argumentsText(call) } };
}

function ending(response: LlmTurnResponse): JsonObject {
  const { usage } = response;
  return {
    finish_reason: stopWordOf(response, STOP_WORDS),
    ...(usage === undefined ? {} : { usage: withUsageFields(writeUsage(usage), response, "cohere") }),
  };
}

function writeUsage({ inputTokens, outputTokens, cacheReadTokens, reasoningTokens }: Usage): JsonObject {
  return {
    tokens: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      ...defined({ reasoning_tokens: reasoningTokens }),
    },
    ...defined({ cached_tokens: cacheReadTokens }),
  };
}
