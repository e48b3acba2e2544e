// A message of the Messages API as a turn response. It leaves out blocks of tools that the vendor runs and keeps the text around them.

import type { Reasoning } from "../../model/message.js";
import type { LlmTurnResponse, StopReason } from "../../model/provider.js";
import type { Usage } from "../../model/usage.js";
import { toToolCalls, type WireCall } from "../../providers/calls.js";
import {
  citedFields,
  stopWordFields,
  usageFields,
  withAnswerFields,
  type CitedText,
  type StopWords,
  type UsageParts,
} from "../../wire/answer-fields.js";
import { unknownFields } from "../../wire/fields.js";
import {
  plainDecoding,
  refuseBody,
  refuseErrorBody,
  toUncachedUsage,
  toList,
  toObject,
  toResponse,
  toStopReason,
  toText,
  type Decoding,
  type WireObject,
} from "../../http/json-readers.js";

/** Decodes a message of Anthropic's Messages API. Throws `provider-response` for a body that is an error or not a message. */
export function decodeAnthropic(json: unknown, decoding: Decoding = plainDecoding): LlmTurnResponse {
  const body = toObject(json);
  refuseErrorBody(body["error"], decoding);
  if (!Array.isArray(body["content"])) refuseBody("has no content", decoding);

  const texts: CitedText[] = [];
  const calls: WireCall[] = [];
  const reasoning: Reasoning[] = [];
  for (const item of toList(body["content"])) {
    const block = toObject(item);
    const type = toText(block["type"]);
    if (type === "text") {
      texts.push({ text: toText(block["text"]), citations: toList(block["citations"]) });
    } else if (type === "tool_use") {
      calls.push({ id: block["id"], name: block["name"], arguments: block["input"] });
    } else if (type === "thinking") {
      reasoning.push(readThinking(block));
    } else if (type === "redacted_thinking") {
      reasoning.push({ type: "redacted", data: toText(block["data"]) });
    } else {
      decoding.note(`a block of type "${type}"`);
    }
  }
  const word = toText(body["stop_reason"]);
  const response = toResponse({
    content: texts.map(({ text }) => text).join(""),
    toolCalls: toToolCalls(calls),
    reasoning,
    stopReason: toStopReason(word, STOP_REASONS, "stop reason", decoding),
    usage: readUsage(toObject(body["usage"])),
    model: toText(body["model"]),
  });
  const own = {
    ...stopWordFields(word, response, STOP_WORDS),
    stop_sequence: body["stop_sequence"],
    message: unknownFields(body, READ),
    texts: citedFields(texts),
    usage: usageFields(toObject(body["usage"]), USAGE_PARTS),
  };
  return withAnswerFields(response, "anthropic", own, decoding);
}

/** The fields of a message that are read, and those that say nothing about the answer. */
const READ = ["id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage", "error"];

function readThinking(block: WireObject): Reasoning {
  const text = toText(block["thinking"]);
  const signature = toText(block["signature"]);
  return { type: "text", text, ...(signature === "" ? {} : { signature }) };
}

/** `pause_turn` means that the vendor cut its own tool loop short, so the answer ends early. */
const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  "": "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "toolUse",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  pause_turn: "length",
  compaction: "length",
  refusal: "contentFilter",
};

/** The API has no word for `error`, so it is sent as it is, which no client takes for another. */
export const STOP_WORDS: StopWords = {
  wire: "anthropic",
  field: "stop_reason",
  known: STOP_REASONS,
  written: {
    stop: "end_turn",
    toolUse: "tool_use",
    length: "max_tokens",
    contentFilter: "refusal",
    error: "error",
  },
};

const USAGE_PARTS: UsageParts = { fields: ["cache_creation", "server_tool_use", "service_tier"] };

function readUsage(usage: WireObject): Usage | undefined {
  const cached = {
    read: usage["cache_read_input_tokens"],
    write: usage["cache_creation_input_tokens"],
    reasoning: toObject(usage["output_tokens_details"])["thinking_tokens"],
  };
  return toUncachedUsage(usage["input_tokens"], usage["output_tokens"], cached);
}
