// A whole answer both ways: message, stop reason, tokens and model. A `finalAnswer` that differs from the content is dropped.

import {
  canonicalize,
  defined,
  type JsonObject,
  type LlmTurnResponse,
  type StopReason,
  type Usage,
} from "../../../core/index.js";
import { fieldOf, objectIn, withField, toLoose, type Loose } from "../loose.js";
import { EXTRAS, type Ignored } from "./fields.js";
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
function exactUsage(said: Loose, usage: Usage | undefined): JsonObject {
  if (usage === undefined) return {};
  const plain = JSON.parse(JSON.stringify(said)) as JsonObject;
  const again = JSON.parse(JSON.stringify(writeUsage(usage))) as JsonObject;
  return canonicalize(plain) === canonicalize(again) ? {} : { usage: plain };
}

interface WrittenResponse extends WrittenAnswer {
  usage_metadata?: WrittenUsage;
  response_metadata: Record<string, unknown>;
}

/** The words of vendors. The first is OpenAI's, which LangChain's own code understands. */
const STOP_WORDS: Readonly<Record<StopReason, readonly [string, ...string[]]>> = {
  stop: ["stop", "end_turn", "stop_sequence"],
  toolUse: ["tool_calls", "tool_use", "function_call"],
  length: ["length", "max_tokens", "max_output_tokens"],
  contentFilter: ["content_filter", "refusal", "safety"],
  error: ["error"],
};

/** An answer as the fields of LangChain's `AIMessage`. For adapters. */
export function writeResponse(response: LlmTurnResponse): WrittenResponse {
  return { ...writeAnswer(response.message), ...writeFacts(response) };
}

export function writeFacts(response: LlmTurnResponse) {
  const { stopReason, usage, model, costUsd } = response;
  const exact = objectIn(fieldOf(response, EXTRAS), "usage") as unknown as WrittenUsage | undefined;
  return {
    ...(usage === undefined ? {} : { usage_metadata: exact ?? writeUsage(usage) }),
    response_metadata: {
      finish_reason: STOP_WORDS[stopReason][0],
      ...defined({ model_name: model, cost_usd: costUsd }),
    },
  };
}

/** An AI message as a response; `calls` counts the calls before it. Throws `cannot-convert`. */
export function readResponse(answer: unknown, ignore: Ignored, calls: number): LlmTurnResponse {
  const fields = toLoose(answer);
  const message = readAnswer(fields, "the answer", { ignore, calls });
  const metadata = toLoose(fields["response_metadata"]);
  const usage = readUsage(toLoose(fields["usage_metadata"]));
  const model = [metadata["model_name"], metadata["model"]].find((name) => typeof name === "string");
  const stops = ["finish_reason", "stop_reason", "finishReason", "done_reason"].map((name) => metadata[name]);
  const word = stops.find((value) => typeof value === "string")?.toLowerCase() ?? "";
  const stopReason = (Object.keys(STOP_WORDS) as StopReason[]).find((reason) => STOP_WORDS[reason].includes(word));
  const costUsd = metadata["cost_usd"];
  const asksTools = (message.toolCalls ?? []).length > 0;
  const response: LlmTurnResponse = {
    message,
    ...(asksTools ? {} : { finalAnswer: message.content }),
    stopReason: stopReason ?? (asksTools ? "toolUse" : "stop"),
    ...defined({ usage }),
    ...(typeof costUsd === "number" ? { costUsd } : {}),
    ...(typeof model === "string" ? { model } : {}),
  };
  return withField(response, EXTRAS, exactUsage(toLoose(fields["usage_metadata"]), usage));
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
function readUsage(usage: Loose): Usage | undefined {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return undefined;
  const { cache_read: read, cache_creation: written } = toLoose(usage["input_token_details"]);
  const { reasoning } = toLoose(usage["output_token_details"]);
  return {
    inputTokens,
    outputTokens,
    ...defined({ cacheReadTokens: count(read), cacheWriteTokens: count(written), reasoningTokens: count(reasoning) }),
  };
}
