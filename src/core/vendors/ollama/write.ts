// A turn response as an answer of Ollama's chat API, whole or streamed, the inverse of `decodeOllama`. This wire does not carry the
// cost, tokens of caches and reasoning, signatures, thoughts other than their joined text, stop reasons other than stop and length,
// or a `finalAnswer` other than the content.

import type { JsonObject } from "../../canon/value.js";
import type { LlmToolCall } from "../../model/message.js";
import type { LlmTurnResponse, StopReason } from "../../model/provider.js";
import { cutText, lastAt, type Cut, type TimedText } from "../../wire/cut.js";
import { argumentsText } from "../../providers/calls.js";
import { modelOf, toLine, type WireStamp } from "../../wire/pieces.js";

const DONE_REASONS: Readonly<Record<StopReason, string>> = {
  stop: "stop",
  toolUse: "stop",
  length: "length",
  contentFilter: "content_filter",
  error: "error",
};

export function writeOllama(response: LlmTurnResponse, stamp: WireStamp): JsonObject {
  const { content } = response.message;
  const thinking = thoughtOf(response);
  const message = {
    role: "assistant",
    content,
    ...(thinking === "" ? {} : { thinking }),
    ...writeCalls(response),
  };
  return { ...head(response, stamp), message, ...ending(response) };
}

/** The lines of a stream, each with the time of its content. Calls have no pieces on this wire. */
export function ollamaEvents(response: LlmTurnResponse, stamp: WireStamp, cut?: Cut): TimedText[] {
  const common = head(response, stamp);
  const calls = writeCalls(response);
  const line = (message: JsonObject, at: number): TimedText => ({
    text: toLine({ ...common, message: { role: "assistant", ...message }, done: false }),
    at,
  });
  const { content, toolCalls = [] } = response.message;
  const called = toolCalls.map((call, index) => lastAt(cut?.(index, argumentsText(call))));
  return [
    ...cutText(cut, "reasoning", thoughtOf(response)).map(({ text, at }) => line({ content: "", thinking: text }, at)),
    ...cutText(cut, "text", content).map(({ text, at }) => line({ content: text }, at)),
    ...(toolCalls.length === 0 ? [] : [line({ content: "", ...calls }, Math.max(...called))]),
    { text: toLine({ ...common, message: { role: "assistant", content: "" }, ...ending(response) }), at: 0 },
  ];
}

function head(response: LlmTurnResponse, stamp: WireStamp): JsonObject {
  return { model: modelOf(response, stamp), created_at: new Date(stamp.createdAt).toISOString() };
}

function thoughtOf({ message }: LlmTurnResponse): string {
  return (message.reasoning ?? []).map((thought) => (thought.type === "text" ? thought.text : "")).join("");
}

function writeCalls({ message }: LlmTurnResponse): JsonObject {
  const { toolCalls = [] } = message;
  return toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(writeCall) };
}

function writeCall({ id, name, arguments: args, malformedArguments }: LlmToolCall, index: number): JsonObject {
  return { id, function: { index, name, arguments: malformedArguments ?? args } };
}

function ending({ stopReason, usage }: LlmTurnResponse): JsonObject {
  return {
    done: true,
    done_reason: DONE_REASONS[stopReason],
    ...(usage === undefined ? {} : { prompt_eval_count: usage.inputTokens, eval_count: usage.outputTokens }),
  };
}
