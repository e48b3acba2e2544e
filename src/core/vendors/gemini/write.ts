// A turn response as an answer of Gemini, whole or streamed, the inverse of `decodeGemini`. This wire does not carry the cost, a
// refusal, or thoughts without text.

import { defined } from "../../defined.js";
import type { JsonObject } from "../../canon/value.js";
import type { LlmTurnResponse } from "../../model/provider.js";
import type { Usage } from "../../model/usage.js";
import { stopWordOf, withUsageFields } from "../../wire/answer-fields.js";
import { cutText, type Cut, type TimedText } from "../../wire/cut.js";
import { wireFieldsOf } from "../../wire/fields.js";
import { modelOf, toSse, type WireStamp } from "../../wire/pieces.js";
import { toObject } from "../../http/json-readers.js";
import { STOP_WORDS } from "./decode.js";
import { writeParts } from "./parts.js";

/** Writes a response as a `GenerateContentResponse` of Gemini's API. */
export function writeGemini(response: LlmTurnResponse, stamp: WireStamp): JsonObject {
  return writeChunk(response, stamp, partsOf(response), true);
}

/** The events of a stream, or the items of a list, cut as `cut` says, each with the time of its content. */
export function geminiEvents(response: LlmTurnResponse, stamp: WireStamp, cut?: Cut): TimedText[] {
  const pieces = partsOf(response).flatMap((part) => cutPart(part, cut));
  const chunks: readonly (readonly [JsonObject[], number])[] =
    pieces.length === 0 ? [[[], 0]] : pieces.map(([part, at]) => [[part], at]);
  return chunks.map(([parts, at], index) => {
    const isLast = index === chunks.length - 1;
    const chunk = writeChunk(response, stamp, parts, isLast);
    if (stamp.isList !== true) return { text: toSse(chunk).replaceAll("\n", "\r\n"), at };
    return { text: `${index === 0 ? "[" : ",\r\n"}${JSON.stringify(chunk)}${isLast ? "]" : ""}`, at };
  });
}

function partsOf({ message }: LlmTurnResponse): JsonObject[] {
  return writeParts(message, wireFieldsOf(message, "gemini")["layout"]);
}

/** A text in its pieces. The last one has its signature. */
function cutPart(part: JsonObject, cut: Cut | undefined): (readonly [JsonObject, number])[] {
  const { text, thought, ...fields } = part;
  if (typeof text !== "string") return [[part, 0]];
  const pieces = cutText(cut, thought === true ? "reasoning" : "text", text);
  if (pieces.length === 0) return [[part, 0]];
  return pieces.map(({ text: piece, at }, index) => [
    { text: piece, ...defined({ thought }), ...(index === pieces.length - 1 ? fields : {}) },
    at,
  ]);
}

function writeChunk(response: LlmTurnResponse, stamp: WireStamp, parts: JsonObject[], isLast: boolean): JsonObject {
  const { usage } = response;
  const { candidate, promptFeedback } = isLast ? wireFieldsOf(response, "gemini") : {};
  const finish = isLast ? { finishReason: stopWordOf(response, STOP_WORDS) } : {};
  // A prompt that was blocked has no answer.
  const isBlocked =
    toObject(promptFeedback)["blockReason"] !== undefined && candidate === undefined && parts.length === 0;
  return {
    ...(isBlocked && response.stopReason === "contentFilter"
      ? {}
      : {
          candidates: [
            { content: { role: "model", parts }, ...finish, ...(toObject(candidate) as JsonObject), index: 0 },
          ],
        }),
    ...defined({ promptFeedback }),
    ...(usage === undefined || !isLast
      ? {}
      : { usageMetadata: withUsageFields(writeUsage(usage), response, "gemini") }),
    modelVersion: modelOf(response, stamp),
    responseId: stamp.id,
  };
}

function writeUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage;
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: Math.max(0, outputTokens - (reasoningTokens ?? 0)),
    ...defined({ cachedContentTokenCount: cacheReadTokens, thoughtsTokenCount: reasoningTokens }),
    totalTokenCount: inputTokens + outputTokens,
  };
}
