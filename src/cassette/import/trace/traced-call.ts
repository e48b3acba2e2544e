// A model call as a trace has it, made into ours: the prompt and the answer in OpenAI's words (chat.ts), the rest by name.

import { defined, parseBoundedJson, type JsonObject, type JsonValue } from "../../../core/index.js";
import { createPromptReader, readOnce, type ModelCall } from "./model-calls.js";
import { joinAnswer } from "./chat.js";
import { toUsage } from "../message/message.js";
import { readOpenAiMessages } from "../formats/openai.js";
import type { RepairLog } from "../repair.js";
import { createSettingsReader } from "../message/settings.js";
import { readTools } from "../message/tools.js";
import { cleanJson } from "../value.js";

/** One call, its messages in OpenAI's words. */
export interface TracedCall {
  prompt: JsonValue[];
  answer: JsonObject[];
  /** Answers after the first, which are left out. */
  alternatives?: number;
  isFailed: boolean;
  model?: string;
  finish?: string;
  /** In the words of OpenAI or of the semantic conventions. */
  usage: JsonObject;
  costUsd?: number;
  tools?: JsonValue[];
  settings: JsonObject;
}

/** What may stand among the settings of a call and is none. */
const NO_SETTINGS = new Set([
  ...["model", "model_name", "stream", "streaming", "is_stream", "_type", "user", "system", "metadata", "id", "object"],
  ...[
    "tools",
    "messages",
    "instructions",
    "maxRetries",
    "max_retries",
    "timeout",
    "mode",
    "finishReason",
    "created_at",
  ],
  ...["maxSteps", "http_options", "system_instruction", "status", "usage", "store", "background", "is_streaming"],
  ...["choice.count", "encoding_formats"],
]);

/** Reads the calls of one run, in order. One without an answer is counted and left out. */
export function createCallReader(repairs: RepairLog): (call: TracedCall) => ModelCall[] {
  const read = createPromptReader(readOpenAiMessages, repairs);
  const toSettings = createSettingsReader(repairs, NO_SETTINGS);
  const toTools = readOnce((tools) => readTools(tools, repairs));
  return (call) => {
    const [answer, ...others] = joinAnswer(call.answer);
    const [response] = call.isFailed || answer === undefined ? [] : read([answer]);
    if (response?.role !== "assistant") {
      repairs.add("call-unanswered");
      return [];
    }
    if (others.length > 0) repairs.add("field-dropped", others.length);
    for (let n = 0; n < (call.alternatives ?? 0); n++) repairs.add("answer-alternative-dropped");
    const usage = toUsage(call.usage);
    const tools = toTools(call.tools);
    const settings = toSettings(call.settings);
    const hasTools = tools !== undefined && tools.length > 0;
    if (!hasTools || settings.toolChoice === "auto") delete settings.toolChoice;
    return [
      {
        request: read(call.prompt),
        response: { ...response, ...defined({ usage }) },
        ...toStopReason(call.finish),
        ...defined({ model: call.model, costUsd: call.costUsd, tools }),
        ...(Object.keys(settings).length === 0 ? {} : { settings }),
      },
    ];
  };
}

function toStopReason(finish = ""): Pick<ModelCall, "stopReason"> {
  const word = finish.toLowerCase().replace(/[-_]/g, "");
  if (["length", "maxtokens", "maxoutputtokens"].includes(word)) return { stopReason: "length" };
  return ["contentfilter", "safety", "refusal"].includes(word) ? { stopReason: "contentFilter" } : {};
}

/** Text that holds JSON, parsed; any other value as it is. What is not JSON, or no cassette can hold, stays text. */
export function unpackJson(value: JsonValue | undefined, repairs: RepairLog): JsonValue | undefined {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return cleanJson(parseBoundedJson(value), repairs);
  } catch {
    return value;
  }
}
