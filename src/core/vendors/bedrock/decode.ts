// An answer of Bedrock's Converse as a turn response. It leaves out tools that the vendor runs and keeps the text around them.
// Specification: Amazon Bedrock API reference, "Converse", response.

import { isPlainObject } from "../../canon/value.js";
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

/** Decodes an answer of Bedrock's Converse. Throws `provider-response` for a body that is an error or has no message. */
export function decodeBedrock(json: unknown, decoding: Decoding = plainDecoding): LlmTurnResponse {
  const body = toObject(json);
  refuseErrorBody(body["error"], decoding);
  const blocks = toObject(toObject(body["output"])["message"])["content"];
  if (!Array.isArray(blocks)) refuseBody("has no output message", decoding);

  const texts: CitedText[] = [];
  const calls: WireCall[] = [];
  const reasoning: Reasoning[] = [];
  for (const block of toList(blocks).map(toObject)) {
    const { toolUse: call, reasoningContent: thought, citationsContent: cited } = block;
    if (typeof block["text"] === "string") texts.push({ text: toText(block["text"]), citations: [] });
    else if (isPlainObject(call) && !isVendorsCall(call)) {
      calls.push({ id: call["toolUseId"], name: call["name"], arguments: call["input"] });
    } else if (isPlainObject(thought)) reasoning.push(readThought(thought));
    else if (isPlainObject(cited)) {
      texts.push({ text: citedText(cited), citations: toList(cited["citations"]) });
    } else decoding.note(`a block of type "${Object.keys(block)[0] ?? ""}"`);
  }
  const word = toText(body["stopReason"]);
  const response = toResponse({
    content: texts.map(({ text }) => text).join(""),
    toolCalls: toToolCalls(calls),
    reasoning,
    stopReason: toStopReason(word, STOP_REASONS, "stop reason", decoding),
    usage: readUsage(toObject(body["usage"])),
    // Only a prompt router names the model that answered.
    model: toText(toObject(toObject(body["trace"])["promptRouter"])["invokedModelId"]),
  });
  const { trace, additionalModelResponseFields } = body;
  const own = {
    ...stopWordFields(word, response, STOP_WORDS),
    ...{ trace, additionalModelResponseFields, texts: citedFields(texts) },
    answer: unknownFields(body, READ),
    usage: usageFields(toObject(body["usage"]), { fields: ["cacheDetails"] }),
  };
  return withAnswerFields(response, "bedrock", own, decoding);
}

/** The fields of an answer that are read, and its time. */
const READ = ["output", "stopReason", "usage", "metrics", "trace", "additionalModelResponseFields", "error"];

/** True for a call that the vendor runs itself. Others have no type, or "tool_use", which the API reference does not list. */
export function isVendorsCall({ type }: WireObject): boolean {
  return type !== undefined && type !== null && type !== "tool_use";
}

function readThought(thought: WireObject): Reasoning {
  if (typeof thought["redactedContent"] === "string") {
    return { type: "redacted", data: toText(thought["redactedContent"]) };
  }
  const { text, signature } = toObject(thought["reasoningText"]);
  return { type: "text", text: toText(text), ...(toText(signature) === "" ? {} : { signature: toText(signature) }) };
}

/** The text that citations belong to. */
function citedText({ content }: WireObject): string {
  return toList(content)
    .map((part) => toText(toObject(part)["text"]))
    .join("");
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  "": "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "toolUse",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  content_filtered: "contentFilter",
  guardrail_intervened: "contentFilter",
  malformed_model_output: "error",
  malformed_tool_use: "error",
};

export const STOP_WORDS: StopWords = {
  wire: "bedrock",
  field: "stopReason",
  known: STOP_REASONS,
  written: {
    stop: "end_turn",
    toolUse: "tool_use",
    length: "max_tokens",
    contentFilter: "content_filtered",
    error: "malformed_model_output",
  },
};

function readUsage(usage: WireObject): Usage | undefined {
  const cached = { read: usage["cacheReadInputTokens"], write: usage["cacheWriteInputTokens"] };
  return toUncachedUsage(usage["inputTokens"], usage["outputTokens"], cached);
}
