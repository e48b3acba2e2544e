// Anthropic's Messages API.

import { isPlainObject } from "../../canon/value.js";
import { invalidOptions } from "../../errors.js";
import { toList } from "../../http/json-readers.js";
import { showValue } from "../../text/show.js";
import type { LlmTurnRequest } from "../../model/provider.js";
import type { CallTerms } from "../../providers/vendor-options.js";
import { findHeldState } from "../../wire/held-state.js";
import { defineVendor } from "../vendor.js";
import { encodeAnthropic } from "./encode.js";
import { anthropicFaults, anthropicStreamError, failAnthropic } from "./refusals.js";
import { anthropicStream } from "./fold.js";
import { parseAnthropic } from "./parse.js";
import { anthropicState } from "./state.js";
import { anthropicTraits, type AnthropicOptions } from "./traits.js";
import { anthropicEvents, writeAnthropic } from "./write.js";

const API_VERSION = "2023-06-01";

export const anthropic = defineVendor({
  ...anthropicTraits,
  call(request, { options, key, streaming }: CallTerms<AnthropicOptions>) {
    const { model, maxTokens = 4096, promptCaching = false } = options;
    assertRoomToAnswer(request.settings?.thinkingBudget, request.settings?.maxTokens ?? maxTokens);
    assertFreeChoice(request);
    const body = encodeAnthropic(request, { model, maxTokens, promptCaching });
    return {
      path: anthropicTraits.path,
      headers: { "x-api-key": key, "anthropic-version": API_VERSION },
      body: streaming ? { ...body, stream: true } : body,
    };
  },
  format: anthropicStream,
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
