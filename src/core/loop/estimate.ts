// What the next prompt will have in tokens, and cost, before it is sent. A function of the conversation and of what earlier
// turns reported, and of nothing else, so that a replay of the same turns estimates the same. No vendor's tokenizer is asked.

import type { LlmMessage, LlmToolCall } from "../model/message.js";
import type { LlmToolDefinition, LlmTurnResponse } from "../model/provider.js";
import { toResultText } from "../tools/result.js";

/** The rule of thumb for English. Code has fewer characters a token, and most other scripts far fewer. */
export const CHARACTERS_PER_TOKEN = 4;
/** For every image, whatever its size: about what a vendor counts for the largest one that it does not shrink first. */
export const TOKENS_PER_IMAGE = 1_600;
/**
 * What one output token is taken to cost in input tokens: current models of OpenAI have 4 or 8 and of Anthropic 5 (see
 * `model/pricing`). The price of one turn is a single figure, so the ratio has to be assumed to find a rate.
 */
export const OUTPUT_PRICE_RATIO = 5;

export interface PromptEstimate {
  /** Tokens of the prompt that is about to be sent; undefined when turns were answered and none said what it used. */
  tokens(messages: readonly LlmMessage[], tools: readonly LlmToolDefinition[]): number | undefined;
  /** USD of so many prompt tokens, by the last turn that had a price; undefined before one had. */
  costUsd(tokens: number): number | undefined;
  /** Takes in what came back for the prompt that `tokens` was asked of last. */
  learn(response: LlmTurnResponse): void;
  /** Forgets the conversation; what was learnt of price and of the provider stays. */
  beginConversation(): void;
}

export function createPromptEstimate(): PromptEstimate {
  /** What the first `messages` messages of the conversation have, as the vendor counted them. */
  let known: { tokens: number; messages: number } | undefined;
  let asked = 0;
  let answers = 0;
  let reports = false;
  let usdPerInputToken: number | undefined;

  return {
    tokens(messages, tools) {
      asked = messages.length;
      if (answers > 0 && !reports) return undefined;
      // A conversation that was cut back is counted anew.
      if (known === undefined || known.messages > messages.length) return estimateText(messages, 0, tools);
      return known.tokens + estimateText(messages, known.messages, []);
    },
    costUsd: (tokens) => (usdPerInputToken === undefined ? undefined : tokens * usdPerInputToken),
    learn({ usage, costUsd }) {
      answers += 1;
      const input = figure(usage?.inputTokens);
      // No prompt has 0 tokens: whoever says so has not counted it.
      if (input === 0) return;
      const output = figure(usage?.outputTokens);
      reports = true;
      // The answer is part of the next prompt, without what was thought before it.
      const kept = output - Math.min(output, figure(usage?.reasoningTokens));
      known = { tokens: input + kept, messages: asked + 1 };
      if (costUsd === undefined || figure(costUsd) !== costUsd) return;
      usdPerInputToken = costUsd / (input + OUTPUT_PRICE_RATIO * output);
    },
    beginConversation() {
      known = undefined;
    },
  };
}

/** A vendor's figure, or 0 where there is none. The turn refuses one that is negative or not finite before it gets here. */
export function figure(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Tokens of the messages from `from` on and of the tools, by their text. */
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

/** A conversation keeps what is no JSON as it came, so a text of it may not be had. */
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
