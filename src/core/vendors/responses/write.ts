// A turn response as a response object of the Responses API, whole or streamed, the inverse of `decodeResponses`. This wire does
// not carry the cost, or a `finalAnswer` other than the content. Ids are made from those of the answer.

import { defined } from "../../defined.js";
import type { JsonObject } from "../../canon/value.js";
import type { LlmTurnResponse, StopReason } from "../../model/provider.js";
import type { Usage } from "../../model/usage.js";
import { cutText, lastAt, type Cut, type TimedText } from "../../wire/cut.js";
import { wireFieldsOf } from "../../wire/fields.js";
import { modelOf, toSse, type WireStamp } from "../../wire/pieces.js";
import { toList, toObject, toText } from "../../http/json-readers.js";
import { SUMMARY_BREAK, writeItems, writeTexts } from "./items.js";

/** Why an answer is incomplete, for the stop reasons that say so. */
const INCOMPLETE: Readonly<Partial<Record<StopReason, string>>> = {
  length: "max_output_tokens",
  contentFilter: "content_filter",
};

const ID_PREFIXES: ReadonlyMap<string, string> = new Map([
  ["reasoning", "rs"],
  ["message", "msg"],
  ["function_call", "fc"],
  ["custom_tool_call", "ctc"],
]);

/** Writes a response as the `response` object of OpenAI's Responses API. */
export function writeResponses(response: LlmTurnResponse, stamp: WireStamp): JsonObject {
  return writeBody(response, stamp, writeOutput(response, stamp));
}

function writeOutput(response: LlmTurnResponse, stamp: WireStamp): JsonObject[] {
  const { layout } = wireFieldsOf(response.message, "responses");
  const { texts } = wireFieldsOf(response, "responses");
  const items = writeTexts(writeItems(response.message, layout, response.isRefusal === true), texts);
  return items.map((item, index) => {
    const prefix = ID_PREFIXES.get(toText(item["type"]));
    if (prefix === undefined) return item;
    const isCut = incompleteReason(response) !== undefined && index === items.length - 1;
    const status = item["type"] === "reasoning" ? {} : { status: isCut ? "incomplete" : "completed" };
    return { id: `${prefix}_${stamp.id}_${index}`, ...item, ...status };
  });
}

/** A refusal is a whole answer: the model said all of it. */
function incompleteReason({ stopReason, isRefusal }: LlmTurnResponse): string | undefined {
  return isRefusal === true ? undefined : INCOMPLETE[stopReason];
}

function writeBody(response: LlmTurnResponse, stamp: WireStamp, output: JsonObject[]): JsonObject {
  const { usage } = response;
  const { service_tier, content_filters } = wireFieldsOf(response, "responses");
  const reason = incompleteReason(response);
  return {
    id: `resp_${stamp.id}`,
    object: "response",
    created_at: Math.floor(stamp.createdAt / 1000),
    status: reason === undefined ? "completed" : "incomplete",
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: null,
    max_output_tokens: null,
    model: modelOf(response, stamp),
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: null,
    truncation: "disabled",
    usage: usage === undefined ? null : writeUsage(usage),
    metadata: {},
    ...defined({ service_tier, content_filters }),
  };
}

function writeUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens, reasoningTokens = 0 } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens, ...defined({ cache_write_tokens: cacheWriteTokens }) },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

/** An event without its number, and when it comes. */
type Timed = readonly [event: JsonObject, at: number];

/** The server-sent events of a stream, cut as `cut` says, each with the time of its content. */
export function responsesEvents(response: LlmTurnResponse, stamp: WireStamp, cut?: Cut): TimedText[] {
  const output = writeOutput(response, stamp);
  const whole = writeBody(response, stamp, output);
  const started = { ...whole, status: "in_progress", incomplete_details: null, output: [], usage: null };
  let calls = 0;
  const events: Timed[] = [
    [{ type: "response.created", response: started }, 0],
    [{ type: "response.in_progress", response: started }, 0],
    ...output.flatMap((item, index) =>
      itemEvents(
        item,
        index,
        item["type"] === "function_call" || item["type"] === "custom_tool_call" ? calls++ : 0,
        cut,
      ),
    ),
    [{ type: `response.${whole["status"] as string}`, response: whole }, 0],
  ];
  return events.map(([{ type, ...event }, at], number) => ({
    text: toSse({ type: type as string, sequence_number: number, ...event }, type as string),
    at,
  }));
}

function itemEvents(item: JsonObject, index: number, call: number, cut: Cut | undefined): Timed[] {
  const [opening, inner] = innerEvents(item, index, call, cut);
  return [
    [{ type: "response.output_item.added", output_index: index, item: opening }, inner[0]?.[1] ?? 0],
    ...inner,
    [{ type: "response.output_item.done", output_index: index, item }, inner.at(-1)?.[1] ?? 0],
  ];
}

/** An item as it is when it begins, and the events that fill it. */
function innerEvents(item: JsonObject, index: number, call: number, cut: Cut | undefined): [JsonObject, Timed[]] {
  const place = { item_id: item["id"] ?? "", output_index: index };
  switch (item["type"]) {
    case "message":
      return [{ ...item, status: "in_progress", content: [] }, partEvents(item, place, cut)];
    case "reasoning":
      return [{ ...item, summary: [] }, thoughtEvents(item, place, cut)];
    case "function_call":
      return [
        { ...item, status: "in_progress", arguments: "" },
        inputEvents(
          item["arguments"],
          "function_call_arguments",
          "arguments",
          place,
          cutText(cut, call, toText(item["arguments"])),
        ),
      ];
    case "custom_tool_call":
      return [
        { ...item, status: "in_progress", input: "" },
        inputEvents(item["input"], "custom_tool_call_input", "input", place, cutText(cut, call, toText(item["input"]))),
      ];
    default:
      return [item, []];
  }
}

function partEvents(item: JsonObject, place: JsonObject, cut: Cut | undefined): Timed[] {
  return toList(item["content"]).flatMap((part, contentIndex): Timed[] => {
    const where = { ...place, content_index: contentIndex };
    const whole = toObject(part) as JsonObject;
    const [field, name] = whole["type"] === "refusal" ? ["refusal", "refusal"] : ["text", "output_text"];
    const text = toText(whole[field]);
    const pieces = cutText(cut, "text", text);
    const end = lastAt(pieces);
    const isText = name === "output_text";
    const extra = isText ? { logprobs: [] } : {};
    const opening = { ...whole, [field]: "", ...(isText ? { annotations: [], logprobs: [] } : {}) };
    return [
      [{ type: "response.content_part.added", ...where, part: opening }, pieces[0]?.at ?? 0],
      ...pieces.map(({ text: delta, at }): Timed => [
        { type: `response.${name}.delta`, ...where, delta, ...extra },
        at,
      ]),
      ...toList(whole["annotations"]).map((annotation, annotation_index): Timed => [
        {
          type: "response.output_text.annotation.added",
          ...where,
          annotation_index,
          annotation: annotation as JsonObject,
        },
        end,
      ]),
      [
        {
          type: `response.${name}.done`,
          ...where,
          [field]: text,
          ...(isText ? { logprobs: whole["logprobs"] ?? [] } : {}),
        },
        end,
      ],
      [{ type: "response.content_part.done", ...where, part: whole }, end],
    ];
  });
}

/** Summaries and texts of a thought, which have the same events under two names. */
function thoughtEvents(item: JsonObject, place: JsonObject, cut: Cut | undefined): Timed[] {
  return [
    ...textEvents(item["summary"], "reasoning_summary", "summary_index", "reasoning_summary_part", place, cut),
    ...textEvents(item["content"], "reasoning", "content_index", "reasoning_part", place, cut),
  ];
}

function textEvents(
  parts: unknown,
  name: string,
  indexField: string,
  partName: string,
  place: JsonObject,
  cut: Cut | undefined,
): Timed[] {
  return toList(parts).flatMap((item, index): Timed[] => {
    const part = toObject(item) as JsonObject;
    const where = { ...place, [indexField]: index };
    const text = toText(part["text"]);
    // The recorded pieces hold the break before a part.
    if (name === "reasoning_summary" && index > 0) cut?.("reasoning", SUMMARY_BREAK);
    const pieces = cutText(cut, "reasoning", text);
    const end = lastAt(pieces);
    return [
      [{ type: `response.${partName}.added`, ...where, part: { ...part, text: "" } }, pieces[0]?.at ?? 0],
      ...pieces.map(({ text: delta, at }): Timed => [{ type: `response.${name}_text.delta`, ...where, delta }, at]),
      [{ type: `response.${name}_text.done`, ...where, text }, end],
      [{ type: `response.${partName}.done`, ...where, part }, end],
    ];
  });
}

function inputEvents(
  input: unknown,
  name: string,
  field: string,
  place: JsonObject,
  pieces: readonly TimedText[],
): Timed[] {
  return [
    ...pieces.map(({ text: delta, at }): Timed => [{ type: `response.${name}.delta`, ...place, delta }, at]),
    [{ type: `response.${name}.done`, ...place, [field]: toText(input) }, lastAt(pieces)],
  ];
}
