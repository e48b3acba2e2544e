// A turn response as an answer of Ollama's chat API, whole or streamed, the inverse of `decodeOllama`. Not carried by this
// wire: the cost, tokens of caches and reasoning, signatures, thoughts but for their joined text, stop reasons other than
// stop and length, and a `finalAnswer` other than the content.

import type { JsonObject } from "../canon/value.js";
import type { LlmToolCall } from "../model/message.js";
import type { LlmTurnResponse, StopReason } from "../model/provider.js";
import { modelOf, toLine, toPieces, type WireStamp } from "./pieces.js";

const DONE_REASONS: Readonly<Record<StopReason, string>> = {
  stop: "stop",
  toolUse: "stop",
  length: "length",
  contentFilter: "content_filter",
  error: "error",
};

/** The one object of an answer that is not streamed. */
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

/** The same as lines of JSON, to be sent one after the other. */
export function streamOllama(response: LlmTurnResponse, stamp: WireStamp): string[] {
  const common = head(response, stamp);
  const calls = writeCalls(response);
  const line = (message: JsonObject) => toLine({ ...common, message: { role: "assistant", ...message }, done: false });
  return [
    ...toPieces(thoughtOf(response)).map((thinking) => line({ content: "", thinking })),
    ...toPieces(response.message.content).map((content) => line({ content })),
    ...(Object.keys(calls).length === 0 ? [] : [line({ content: "", ...calls })]),
    toLine({ ...common, message: { role: "assistant", content: "" }, ...ending(response) }),
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
