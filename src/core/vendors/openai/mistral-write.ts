// A turn response as Mistral's API writes it: thoughts in the content, calls whole, and always a usage, without which its client fails.
// `decodeOpenAi` reads it.

import type { JsonObject } from "../../canon/value.js";
import type { LlmTurnResponse } from "../../model/provider.js";
import { argumentsText } from "../../providers/calls.js";
import { cutText, lastAt, type Cut, type TimedText } from "../../wire/cut.js";
import { toSse, type WireStamp } from "../../wire/pieces.js";
import { stopWordOf, withUsageFields } from "../../wire/answer-fields.js";
import { STOP_WORDS } from "./decode.js";
import { toThinking, toThinkingPart } from "./mistral.js";
import { head, writeCall, writeUsage } from "./write.js";

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

export function writeMistral(response: LlmTurnResponse, stamp: WireStamp): JsonObject {
  const { message, usage = NO_USAGE } = response;
  const { content, toolCalls = [] } = message;
  const thinking = toThinking(message);
  const said = content === "" ? [] : [{ type: "text", text: content }];
  const own = {
    role: "assistant",
    content: thinking.length === 0 ? content : [...thinking, ...said],
    tool_calls: toolCalls.length === 0 ? null : toolCalls.map(writeCall),
  };
  const choice = { index: 0, message: own, finish_reason: stopWordOf(response, STOP_WORDS) };
  return {
    ...head(response, stamp, "chat.completion"),
    choices: [choice],
    usage: withUsageFields(writeUsage(usage), response, "openai"),
  };
}

/** The events, cut as `cut` says, each with the time of what it carries. */
export function mistralEvents(response: LlmTurnResponse, stamp: WireStamp, cut?: Cut): TimedText[] {
  const { message, usage = NO_USAGE } = response;
  const common = head(response, stamp, "chat.completion.chunk");
  const event = (delta: JsonObject, at: number, finish: string | null = null, more: JsonObject = {}): TimedText => ({
    text: toSse({ ...common, choices: [{ index: 0, delta, finish_reason: finish }], ...more }),
    at,
  });
  return [
    event({ role: "assistant", content: "" }, 0),
    ...thinkingDeltas(response, cut).map(({ part, at }) => event({ content: [part] }, at)),
    ...cutText(cut, "text", message.content).map(({ text, at }) => event({ content: text }, at)),
    ...(message.toolCalls ?? []).map((call, index) =>
      event({ tool_calls: [{ ...writeCall(call), index }] }, lastAt(cut?.(index, argumentsText(call)))),
    ),
    event({ content: "" }, 0, stopWordOf(response, STOP_WORDS), {
      usage: withUsageFields(writeUsage(usage), response, "openai"),
    }),
    { text: toSse("[DONE]"), at: 0 },
  ];
}

/** The last piece has the signature. */
function thinkingDeltas({ message }: LlmTurnResponse, cut: Cut | undefined): { part: JsonObject; at: number }[] {
  const [whole] = toThinking(message);
  const texts = (message.reasoning ?? []).flatMap((thought) => (thought.type === "text" ? thought.text : []));
  const pieces = texts.flatMap((text) => cutText(cut, "reasoning", text));
  return pieces.map(({ text, at }, index) => {
    const part = toThinkingPart(text);
    return { part: index === pieces.length - 1 ? { ...whole, ...part } : part, at };
  });
}
