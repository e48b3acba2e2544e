// Estimates tokens and cost of the next prompt before it is sent. Only the conversation and the reports of earlier turns count, so
// a replay of the same turns estimates the same. No vendor's tokenizer is used.

import { defined } from "../defined.js";
import type { LlmMessage, LlmToolCall } from "../model/message.js";
import type { LlmToolDefinition, LlmTurnResponse } from "../model/provider.js";
import { toResultText } from "../tools/result.js";

/** A rule of thumb for English. Code has fewer characters per token, and most other scripts far fewer. */
export const CHARACTERS_PER_TOKEN = 4;
/** Estimated tokens of an image of any size: about as many as vendors count for the largest image that they do not shrink. */
export const TOKENS_PER_IMAGE = 1_600;
/**
 * Assumed price of an output token in input tokens, since a turn reports only its total price. OpenAI's current models have 4 or 8,
 * Anthropic's 5 (see the price lists).
 */
const OUTPUT_PRICE_RATIO = 5;

/** What an estimate has learnt, as plain JSON. */
export interface EstimateState {
  /** Tokens of the first `messages` messages of the conversation, as the vendor counted them. */
  readonly known?: { readonly tokens: number; readonly messages: number };
  readonly answers: number;
  readonly reports: boolean;
  readonly usdPerInputToken?: number;
}

export interface PromptEstimate {
  /** Estimates the tokens of the next prompt. Undefined if no answered turn reported its usage. */
  tokens(messages: readonly LlmMessage[], tools: readonly LlmToolDefinition[]): number | undefined;
  /** Estimates the cost in USD of this many prompt tokens, by the last turn with a price. Undefined before the first. */
  costUsd(tokens: number): number | undefined;
  /** Learns from the answer to a conversation of `messages` messages. Default: as many as `tokens` was given last. */
  learn(response: LlmTurnResponse, messages?: number): void;
  /** Forgets the conversation, but neither the price nor whether the provider reports usage. */
  beginConversation(): void;
  /** What a later run needs to continue. */
  state(): EstimateState;
}

/** `state` is that of the estimate of an earlier run, which this one continues. */
export function createPromptEstimate(state: EstimateState = { answers: 0, reports: false }): PromptEstimate {
  let { known, answers, reports, usdPerInputToken } = state;
  let asked = 0;

  return {
    tokens(messages, tools) {
      asked = messages.length;
      if (answers > 0 && !reports) return undefined;
      // A conversation that was cut back is estimated from the start.
      if (known === undefined || known.messages > messages.length) return estimateText(messages, 0, tools);
      return known.tokens + estimateText(messages, known.messages, []);
    },
    costUsd: (tokens) => (usdPerInputToken === undefined ? undefined : tokens * usdPerInputToken),
    learn({ usage, costUsd }, messages = asked) {
      answers += 1;
      const input = figure(usage?.inputTokens);
      // No prompt has 0 tokens: the provider did not count them.
      if (input === 0) return;
      const output = figure(usage?.outputTokens);
      reports = true;
      // The answer is part of the next prompt, but its reasoning is not.
      const kept = output - Math.min(output, figure(usage?.reasoningTokens));
      known = { tokens: input + kept, messages: messages + 1 };
      if (costUsd === undefined || figure(costUsd) !== costUsd) return;
      usdPerInputToken = costUsd / (input + OUTPUT_PRICE_RATIO * output);
    },
    beginConversation() {
      known = undefined;
    },
    state: () => ({ ...defined({ known, usdPerInputToken }), answers, reports }),
  };
}

/** A vendor's figure, or 0 without one. A turn refuses negative and infinite figures before they get here. */
export function figure(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Estimates the tokens of the messages from index `from` on and of the tools, by their text. */
export function estimateText(
  messages: readonly LlmMessage[],
  from: number,
  tools: readonly LlmToolDefinition[],
): number {
  let characters = 0;
  let images = 0;
  for (let index = from; index < messages.length; index++) {
    const message = messages[index] as LlmMessage;
    characters += charactersOf(message);
    if (message.role !== "user" || typeof message.content === "string") continue;
    images += message.content.filter((part) => part.type === "image").length;
  }
  for (const { name, description, schema } of tools)
    characters += name.length + description.length + jsonLength(schema);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + images * TOKENS_PER_IMAGE;
}

function charactersOf(message: LlmMessage): number {
  switch (message.role) {
    case "system":
      return message.content.length;
    case "tool":
      return message.name.length + message.content.length;
    case "user":
      if (typeof message.content === "string") return message.content.length;
      return sum(message.content, (part) => (part.type === "text" ? part.text.length : 0));
    case "assistant": {
      const { content, toolCalls = [], reasoning = [] } = message;
      const thought = sum(reasoning, (part) => (part.type === "text" ? part.text.length : 0));
      return content.length + sum(toolCalls, callCharacters) + thought;
    }
  }
}

function callCharacters({ name, arguments: args, malformedArguments }: LlmToolCall): number {
  return name.length + (malformedArguments?.length ?? jsonLength(args));
}

/** 0 for a value that is not JSON, which a conversation keeps as it came. */
function jsonLength(value: object): number {
  try {
    return toResultText(value, Infinity).text.length;
  } catch {
    return 0;
  }
}

function sum<T>(items: readonly T[], measure: (item: T) => number): number {
  return items.reduce((total, item) => total + measure(item), 0);
}
