// A turn response as a chat completion, whole or streamed, the inverse of `decodeOpenAi`. This wire does not carry the cost, signatures,
// redacted thoughts, a refusal next to a text (it is part of the text), or a `finalAnswer` other than the content.

import { defined } from "../../defined.js";
import type { JsonObject, JsonValue } from "../../canon/value.js";
import type { LlmToolCall } from "../../model/message.js";
import type { LlmTurnResponse } from "../../model/provider.js";
import { argumentsText } from "../../providers/calls.js";
import type { Usage } from "../../model/usage.js";
import { stopWordOf, withUsageFields } from "../../wire/answer-fields.js";
import { cutText, type Cut, type TimedText } from "../../wire/cut.js";
import { toObject } from "../../http/json-readers.js";
import { wireFieldsOf } from "../../wire/fields.js";
import { modelOf, toSse, type WireStamp } from "../../wire/pieces.js";
import { STOP_WORDS } from "./decode.js";

export function writeOpenAi(response: LlmTurnResponse, stamp: WireStamp): JsonObject {
  const { message, usage } = response;
  const { content, toolCalls = [] } = message;
  const isRefusal = refuses(response);
  const { annotations, logprobs = null, ...own } = wireFieldsOf(response, "openai");
  const { content_filter_results, prompt_filter_results } = own;
  return {
    ...head(response, stamp, "chat.completion"),
    ...defined({ prompt_filter_results }),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: isRefusal || (content === "" && toolCalls.length > 0) ? null : content,
          refusal: isRefusal ? content : null,
          ...defined({ annotations }),
          ...writeReasoning(response),
          ...(toolCalls.length === 0 ? {} : { tool_calls: writeCalls(response) }),
        },
        logprobs,
        finish_reason: finishOf(response),
        ...defined({ content_filter_results }),
      },
    ],
    ...(usage === undefined ? {} : { usage: withUsageFields(writeUsage(usage), response, "openai") }),
  };
}

/** A text that came as a refusal goes out as one, since clients look for it in its field. */
function refuses({ isRefusal, message }: LlmTurnResponse): boolean {
  return isRefusal === true && message.content !== "" && (message.toolCalls ?? []).length === 0;
}

/** A refusal is a whole answer. */
function finishOf(response: LlmTurnResponse): string {
  return refuses(response) ? "stop" : stopWordOf(response, STOP_WORDS);
}

/** The events, cut as `cut` says, each with the time of what it carries. */
export function openAiEvents(response: LlmTurnResponse, stamp: WireStamp, cut?: Cut): TimedText[] {
  const { message, usage } = response;
  const said = refuses(response) ? "refusal" : "content";
  const common = head(response, stamp, "chat.completion.chunk");
  const { annotations, logprobs = null, calls, ...own } = wireFieldsOf(response, "openai");
  const { content_filter_results, prompt_filter_results } = own;
  const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    ...common,
    choices: [
      {
        ...{ index: 0, delta, logprobs: finish === null ? null : logprobs, finish_reason: finish },
        ...(finish === null ? {} : defined({ content_filter_results })),
      },
    ],
    ...(stamp.wantsUsage === true ? { usage: null } : {}),
  });
  const event = (data: JsonObject | "[DONE]", at = 0): TimedText => ({ text: toSse(data), at });
  return [
    ...(prompt_filter_results === undefined ? [] : [event({ ...common, choices: [], prompt_filter_results })]),
    event(chunk({ role: "assistant", content: "", refusal: null })),
    ...thoughtDeltas(response, cut).map(([delta, at]) => event(chunk(delta), at)),
    ...cutText(cut, "text", message.content).map(({ text, at }) => event(chunk({ [said]: text }), at)),
    ...(message.toolCalls ?? []).flatMap((call, index) =>
      callDeltas(call, { index, ...fieldsAt(calls, index) }, cut).map(([delta, at]) => event(chunk(delta), at)),
    ),
    event(chunk(defined({ annotations }), finishOf(response))),
    ...(stamp.wantsUsage === true && usage !== undefined
      ? [event({ ...common, choices: [], usage: withUsageFields(writeUsage(usage), response, "openai") })]
      : []),
    event("[DONE]"),
  ];
}

/** One thought in its recorded pieces. A list has no pieces and comes at once. */
function thoughtDeltas(response: LlmTurnResponse, cut: Cut | undefined): [JsonObject, number][] {
  const whole = writeReasoning(response);
  if (Object.keys(whole).length === 0) return [];
  const { reasoning_content: text, reasoning_details: details } = whole;
  if (typeof text !== "string" || details !== undefined) return [[whole, 0]];
  return cut?.("reasoning", text)?.map((piece) => [{ reasoning_content: piece.text }, piece.at]) ?? [[whole, 0]];
}

/** The fields that every answer and chunk has. */
export function head(response: LlmTurnResponse, stamp: WireStamp, object: string): JsonObject {
  const { id, createdAt } = stamp;
  const { service_tier, system_fingerprint } = wireFieldsOf(response, "openai");
  return {
    ...{ id: `chatcmpl-${id}`, object, created: Math.floor(createdAt / 1000), model: modelOf(response, stamp) },
    ...defined({ service_tier, system_fingerprint }),
  };
}

/** One thought under the name that most hosts use, several as OpenRouter's list. A recorded list goes back as it was. */
function writeReasoning(response: LlmTurnResponse): JsonObject {
  const { reasoning = [] } = response.message;
  const { reasoning_details } = wireFieldsOf(response, "openai");
  const texts = reasoning.flatMap((thought) => (thought.type === "text" ? thought.text : []));
  if (texts.length === 1) return { reasoning_content: texts[0] ?? "", ...defined({ reasoning_details }) };
  if (reasoning_details !== undefined || texts.length === 0) return defined({ reasoning_details });
  return { reasoning_details: texts.map((text, index) => ({ type: "reasoning.text", text, index })) };
}

export function writeCall(call: LlmToolCall): JsonObject {
  return { id: call.id, type: "function", function: { name: call.name, arguments: argumentsText(call) } };
}

function writeCalls(response: LlmTurnResponse): JsonObject[] {
  const { calls } = wireFieldsOf(response, "openai");
  return (response.message.toolCalls ?? []).map((call, place) => ({ ...writeCall(call), ...fieldsAt(calls, place) }));
}

/** What `calls` keeps of the call in a place. */
function fieldsAt(calls: JsonValue | undefined, place: number): JsonObject {
  return toObject(toObject(calls)[String(place)]) as JsonObject;
}

/** `fields` go with the first delta. */
function callDeltas(
  call: LlmToolCall,
  { index, ...fields }: JsonObject & { index: number },
  cut: Cut | undefined,
): [JsonObject, number][] {
  const { id, name } = call;
  const pieces = cutText(cut, index, argumentsText(call));
  return [
    [
      { tool_calls: [{ ...fields, index, id, type: "function", function: { name, arguments: "" } }] },
      pieces[0]?.at ?? 0,
    ],
    ...pieces.map(({ text, at }): [JsonObject, number] => [
      { tool_calls: [{ index, function: { arguments: text } }] },
      at,
    ]),
  ];
}

export function writeUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  const input = defined({ cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens });
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(Object.keys(input).length === 0 ? {} : { prompt_tokens_details: input }),
    ...(reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}
