// A turn response as a chat completion, whole or streamed, the inverse of `decodeOpenAi`. Not carried by this wire: the cost,
// signatures of thoughts, thoughts the vendor kept back, and a `finalAnswer` other than the content.

import type { JsonObject } from "../canon/value.js";
import type { LlmToolCall } from "../model/message.js";
import type { LlmTurnResponse, StopReason } from "../model/provider.js";
import type { Usage } from "../model/usage.js";
import { modelOf, toPieces, toSse, type WireStamp } from "./pieces.js";

const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  stop: "stop",
  toolUse: "tool_calls",
  length: "length",
  contentFilter: "content_filter",
  error: "error",
};

/** The `chat.completion` object. */
export function writeOpenAi(response: LlmTurnResponse, stamp: WireStamp): JsonObject {
  const { message, stopReason, usage } = response;
  const { content, toolCalls = [] } = message;
  return {
    ...head(response, stamp, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: content === "" && toolCalls.length > 0 ? null : content,
          refusal: null,
          ...writeReasoning(response),
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(writeCall) }),
        },
        logprobs: null,
        finish_reason: FINISH_REASONS[stopReason],
      },
    ],
    ...(usage === undefined ? {} : { usage: writeUsage(usage) }),
  };
}

/** The same as server-sent events of `chat.completion.chunk` objects, to be sent one after the other. */
export function streamOpenAi(response: LlmTurnResponse, stamp: WireStamp): string[] {
  const { message, stopReason, usage } = response;
  const common = head(response, stamp, "chat.completion.chunk");
  const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    ...common,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(stamp.wantsUsage === true ? { usage: null } : {}),
  });
  const reasoning = writeReasoning(response);
  const chunks = [
    chunk({ role: "assistant", content: "", refusal: null }),
    ...(Object.keys(reasoning).length === 0 ? [] : [chunk(reasoning)]),
    ...toPieces(message.content).map((content) => chunk({ content })),
    ...(message.toolCalls ?? []).flatMap((call, index) => callDeltas(call, index).map((delta) => chunk(delta))),
    chunk({}, FINISH_REASONS[stopReason]),
  ];
  if (stamp.wantsUsage === true && usage !== undefined) {
    chunks.push({ ...common, choices: [], usage: writeUsage(usage) });
  }
  return [...chunks.map((data) => toSse(data)), toSse("[DONE]")];
}

function head(response: LlmTurnResponse, stamp: WireStamp, object: string): JsonObject {
  const { id, createdAt } = stamp;
  return { id: `chatcmpl-${id}`, object, created: Math.floor(createdAt / 1000), model: modelOf(response, stamp) };
}

/** One thought under the name most hosts use; several as the list OpenRouter has for them. */
function writeReasoning({ message }: LlmTurnResponse): JsonObject {
  const texts = (message.reasoning ?? []).flatMap((thought) => (thought.type === "text" ? thought.text : []));
  if (texts.length === 0) return {};
  if (texts.length === 1) return { reasoning_content: texts[0] ?? "" };
  return { reasoning_details: texts.map((text, index) => ({ type: "reasoning.text", text, index })) };
}

function writeCall(call: LlmToolCall): JsonObject {
  return { id: call.id, type: "function", function: { name: call.name, arguments: argumentsText(call) } };
}

function callDeltas(call: LlmToolCall, index: number): JsonObject[] {
  const { id, name } = call;
  return [
    { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
    ...toPieces(argumentsText(call)).map((text) => ({ tool_calls: [{ index, function: { arguments: text } }] })),
  ];
}

/** What the model wrote, where that was no object. */
export function argumentsText(call: LlmToolCall): string {
  return call.malformedArguments ?? JSON.stringify(call.arguments);
}

function writeUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  const input = {
    ...(cacheReadTokens === undefined ? {} : { cached_tokens: cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cache_write_tokens: cacheWriteTokens }),
  };
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(Object.keys(input).length === 0 ? {} : { prompt_tokens_details: input }),
    ...(reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}
