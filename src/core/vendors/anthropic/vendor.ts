// Anthropic's Messages API.

import { isPlainObject } from "../../canon/value.js";
import { invalidOptions } from "../../errors.js";
import { toList } from "../../http/json-readers.js";
import { showValue } from "../../text/show.js";
import type { LlmTurnRequest } from "../../model/provider.js";
import { flagProblem, type CallTerms, type KeyedVendorOptions } from "../../providers/vendor-options.js";
import { findHeldState } from "../../wire/held-state.js";
import { defineVendor } from "../vendor.js";
import { encodeAnthropic } from "./encode.js";
import { anthropicFaults, anthropicStreamError, failAnthropic } from "./refusals.js";
import { anthropicStream } from "./fold.js";
import { parseAnthropic } from "./parse.js";
import { ANTHROPIC_PRICING } from "./prices.js";
import { anthropicState } from "./state.js";
import { anthropicEvents, writeAnthropic } from "./write.js";

export interface AnthropicOptions extends KeyedVendorOptions {
  /** Output limit in tokens for requests without `settings.maxTokens`, since this API requires one. Default 4096. */
  maxTokens?: number;
  /** Asks the vendor to cache the prompt up to the last system message before the conversation. Default false. */
  promptCaching?: boolean;
}

const API_VERSION = "2023-06-01";
const PATH = "/messages";

export const anthropic = defineVendor({
  name: "anthropic",
  baseURL: "https://api.anthropic.com/v1",
  path: PATH,
  keyVariable: "ANTHROPIC_API_KEY",
  client: { baseURLs: ["https://api.anthropic.com"], variable: "ANTHROPIC_BASE_URL", path: "" },
  pricing: ANTHROPIC_PRICING,
  ownOptions: {
    maxTokens: (count) =>
      Number.isSafeInteger(count) && Number(count) > 0
        ? ""
        : `maxTokens is ${showValue(count)}: give a positive whole number`,
    promptCaching: (flag) => flagProblem("promptCaching", flag),
  },
  call(request, { options, key, streaming }: CallTerms<AnthropicOptions>) {
    const { model, maxTokens = 4096, promptCaching = false } = options;
    assertRoomToAnswer(request.settings?.thinkingBudget, request.settings?.maxTokens ?? maxTokens);
    assertFreeChoice(request);
    const body = encodeAnthropic(request, { model, maxTokens, promptCaching });
    return {
      path: PATH,
      headers: { "x-api-key": key, "anthropic-version": API_VERSION },
      body: streaming ? { ...body, stream: true } : body,
    };
  },
  format: anthropicStream,
  // OpenAI's threads also have messages, which are not conversation turns.
  isTurn: ({ method, path }) => method === "POST" && path.endsWith(PATH) && !path.includes("/threads/"),
  recognises: ({ model, system, tools, messages }) =>
    typeof model === "string" &&
    (system !== undefined || objectsIn(tools).some(hasInputSchema) || objectsIn(messages).some(hasToolBlock)),
  messagesField: "messages",
  parse: parseAnthropic,
  findHeldState,
  state: anthropicState,
  write: writeAnthropic,
  events: anthropicEvents,
  fail: failAnthropic,
  faults: anthropicFaults,
  streamError: anthropicStreamError,
});

/** The answer's limit includes its thoughts, and the API refuses a request that leaves nothing for the answer. */
function assertRoomToAnswer(thinkingBudget: number | undefined, maxTokens: number): void {
  if (thinkingBudget === undefined || thinkingBudget < maxTokens) return;
  throw invalidOptions(
    `anthropic: settings.thinkingBudget is ${thinkingBudget}, but the answer may have only ${maxTokens} tokens`,
    "Set maxTokens above thinkingBudget.",
  );
}

/** The API refuses thoughts where the model must call a tool. */
function assertFreeChoice({
  settings: { thinkingBudget, toolChoice = "auto" } = {},
  tools = [],
}: LlmTurnRequest): void {
  if (thinkingBudget === undefined || tools.length === 0 || toolChoice === "auto" || toolChoice === "none") return;
  throw invalidOptions(
    `anthropic: settings.thinkingBudget is ${thinkingBudget}, but settings.toolChoice ${showValue(toolChoice)} forces a tool call`,
    'Use toolChoice "auto", or leave out thinkingBudget.',
  );
}

function objectsIn(list: unknown): readonly Record<string, unknown>[] {
  return toList(list).filter((item) => isPlainObject(item));
}

function hasInputSchema(tool: Record<string, unknown>): boolean {
  return tool["input_schema"] !== undefined;
}

function hasToolBlock({ content }: Record<string, unknown>): boolean {
  const types: unknown[] = ["tool_use", "tool_result", "thinking"];
  return objectsIn(content).some((block) => types.includes(block["type"]));
}
