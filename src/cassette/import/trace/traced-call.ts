// Converts a model call of a log to ours: messages in the log's words, the rest by name.

import { defined, parseBoundedJson, type JsonObject, type JsonValue, type Usage } from "../../../core/index.js";
import { readOpenAiMessages } from "../formats/openai.js";
import { createSettingsReader } from "../message/settings.js";
import { readTools } from "../message/tools.js";
import type { RepairLog } from "../repair.js";
import { cleanJson, toCount, toNumber } from "../foreign-json.js";
import { joinAnswer } from "./chat.js";
import { createPromptReader, readOnce, type ModelCall, type ReadMessages } from "./model-calls.js";

/** One call, its messages in the words that the call reader reads. */
export interface TracedCall {
  prompt: JsonValue[];
  answer: JsonValue[];
  /** How many answers after the first are left out. */
  alternatives?: number;
  isFailed: boolean;
  model?: string | undefined;
  finish?: string | undefined;
  usage: Usage | undefined;
  costUsd?: number | undefined;
  tools?: JsonValue[] | undefined;
  /** In the words of a vendor or of the semantic conventions. */
  settings: JsonObject;
}

export interface CallWords {
  read: ReadMessages;
  /** Fields that may be among the settings of a call and are not settings. */
  notSettings: ReadonlySet<string>;
  /** True where a call lists all its settings, so that an empty list means the defaults. */
  listsSettings: boolean;
}

const TRACE_WORDS: CallWords = {
  read: readOpenAiMessages,
  notSettings: new Set([
    ...["model", "model_name", "stream", "streaming", "is_stream", "_type", "user", "system", "metadata", "id"],
    ...["object", "tools", "messages", "instructions", "maxRetries", "max_retries", "timeout", "mode", "finishReason"],
    ...["created_at", "maxSteps", "http_options", "system_instruction", "status", "usage", "store", "background"],
    ...["is_streaming", "choice.count", "encoding_formats"],
  ]),
  listsSettings: false,
};

/**
 * Creates a reader for the calls of one run, in order. `read` does not read messages of an earlier prompt again. `readCall`
 * counts a call without an answer and leaves it out.
 */
export function createCallReader(repairs: RepairLog, words = TRACE_WORDS) {
  const read = createPromptReader(words.read, repairs);
  const toSettings = createSettingsReader(repairs, words.notSettings);
  const toTools = readOnce((tools) => readTools(tools, repairs));
  const readCall = (call: TracedCall): ModelCall[] => {
    const [answer, ...others] = joinAnswer(call.answer);
    const [response] = call.isFailed || answer === undefined ? [] : read([answer]);
    if (response?.role !== "assistant") {
      repairs.add("call-unanswered");
      return [];
    }
    repairs.add("field-dropped", others.length);
    repairs.add("answer-alternative-dropped", call.alternatives ?? 0);
    const tools = toTools(call.tools);
    const settings = toSettings(call.settings);
    const hasTools = tools !== undefined && tools.length > 0;
    if (!hasTools || settings.toolChoice === "auto") delete settings.toolChoice;
    return [
      {
        request: read(call.prompt),
        response: { ...response, usage: call.usage ?? response.usage },
        stopReason: toStopReason(call.finish),
        ...defined({ model: call.model, costUsd: call.costUsd, tools }),
        settings: words.listsSettings || Object.keys(settings).length > 0 ? settings : undefined,
      },
    ];
  };
  return { read, readCall };
}

function toStopReason(finish = ""): ModelCall["stopReason"] {
  const word = finish.toLowerCase().replace(/[-_]/g, "");
  if (["length", "maxtokens", "maxoutputtokens"].includes(word)) return "length";
  return ["contentfilter", "safety", "refusal"].includes(word) ? "contentFilter" : undefined;
}

/** Tokens of a call by their attributes; undefined unless input and output are known. Cached tokens are part of the input. */
export function toTracedUsage(
  counts: Partial<Record<"input" | "output" | "cached" | "reasoning", JsonValue | undefined>>,
): Usage | undefined {
  const [inputTokens, outputTokens] = [toCount(counts.input), toCount(counts.output)];
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const [cacheReadTokens, reasoningTokens] = [toCount(counts.cached), toCount(counts.reasoning)];
  return { inputTokens, outputTokens, ...defined({ cacheReadTokens, reasoningTokens }) };
}

/** The number in the first of these attributes that is there. */
export function numberIn(attributes: JsonObject, ...names: string[]): number | undefined {
  return toNumber(names.map((name) => attributes[name]).find((value) => value !== undefined));
}

/** Parses text that holds JSON; any other value stays as it is, and so does text that no cassette can hold. */
export function unpackJson(value: JsonValue | undefined, repairs: RepairLog): JsonValue | undefined {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return cleanJson(parseBoundedJson(value), repairs);
  } catch {
    return value;
  }
}
