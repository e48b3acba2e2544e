// A whole answer both ways: message, stop reason, tokens and model. A `finalAnswer` that differs from the content is dropped.

import {
  canonicalize,
  defined,
  type JsonObject,
  type LlmTurnResponse,
  type StopReason,
  type Usage,
} from "../../../core/index.js";
import { fieldOf, objectIn, withField } from "../loose.js";
import { EXTRAS, fieldsOf, type Fields, type Ignored } from "./fields.js";
import { readAnswer } from "./read-message.js";
import { writeAnswer, type WrittenAnswer } from "./write-message.js";

export interface WrittenUsage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  input_token_details?: { cache_read?: number; cache_creation?: number };
  output_token_details?: { reasoning?: number };
}

/** LangChain's own counts, if ours do not lead back to them, such as audio tokens. */
function exactUsage(said: Fields, usage: Usage | undefined): JsonObject {
  if (usage === undefined) return {};
  const plain = JSON.parse(JSON.stringify(said)) as JsonObject;
  const again = JSON.parse(JSON.stringify(writeUsage(usage))) as JsonObject;
  return canonicalize(plain) === canonicalize(again) ? {} : { usage: plain };
}

interface WrittenResponse extends WrittenAnswer {
  usage_metadata?: WrittenUsage;
  response_metadata: Record<string, unknown>;
}

/** OpenAI's words, which LangChain's own code understands. */
const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  stop: "stop",
  toolUse: "tool_calls",
  length: "length",
  contentFilter: "content_filter",
  error: "error",
};

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  tool_calls: "toolUse",
  tool_use: "toolUse",
  function_call: "toolUse",
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  content_filter: "contentFilter",
  refusal: "contentFilter",
  safety: "contentFilter",
  error: "error",
};

/** An answer as the fields of LangChain's `AIMessage`. For adapters. */
export function writeResponse(response: LlmTurnResponse): WrittenResponse {
  return { ...writeAnswer(response.message), ...writeFacts(response) };
}

/** A response without its message. */
export function writeFacts(response: LlmTurnResponse) {
  const { stopReason, usage, model, costUsd } = response;
  const exact = objectIn(fieldOf(response, EXTRAS), "usage") as unknown as WrittenUsage | undefined;
  return {
    ...(usage === undefined ? {} : { usage_metadata: exact ?? writeUsage(usage) }),
    response_metadata: {
      finish_reason: FINISH_REASONS[stopReason],
      ...defined({ model_name: model, cost_usd: costUsd }),
    },
  };
}

/** An AI message as a response; `calls` counts the calls before it. Throws `cannot-convert`. */
export function readResponse(answer: unknown, ignore: Ignored, calls: number): LlmTurnResponse {
  const fields = fieldsOf(answer);
  const message = readAnswer(fields, "the answer", { ignore, calls });
  const metadata = fieldsOf(fields["response_metadata"]);
  const usage = readUsage(fieldsOf(fields["usage_metadata"]));
  const model = [metadata["model_name"], metadata["model"]].find((name) => typeof name === "string");
  const stops = ["finish_reason", "stop_reason", "finishReason", "done_reason"].map((name) => metadata[name]);
  const word = stops.find((value) => typeof value === "string");
  const costUsd = metadata["cost_usd"];
  const asksTools = (message.toolCalls ?? []).length > 0;
  const response: LlmTurnResponse = {
    message,
    ...(asksTools ? {} : { finalAnswer: message.content }),
    stopReason: STOP_REASONS[word?.toLowerCase() ?? ""] ?? (asksTools ? "toolUse" : "stop"),
    ...defined({ usage }),
    ...(typeof costUsd === "number" ? { costUsd } : {}),
    ...(typeof model === "string" ? { model } : {}),
  };
  return withField(response, EXTRAS, exactUsage(fieldsOf(fields["usage_metadata"]), usage));
}

function writeUsage(usage: Usage): WrittenUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  const cache = defined({ cache_read: cacheReadTokens, cache_creation: cacheWriteTokens });
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(Object.keys(cache).length === 0 ? {} : { input_token_details: cache }),
    ...(reasoningTokens === undefined ? {} : { output_token_details: { reasoning: reasoningTokens } }),
  };
}

function count(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Both sides count cached tokens among the input tokens. */
function readUsage(usage: Fields): Usage | undefined {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return undefined;
  const { cache_read: read, cache_creation: written } = fieldsOf(usage["input_token_details"]);
  const { reasoning } = fieldsOf(usage["output_token_details"]);
  return {
    inputTokens,
    outputTokens,
    ...defined({ cacheReadTokens: count(read), cacheWriteTokens: count(written), reasoningTokens: count(reasoning) }),
  };
}
