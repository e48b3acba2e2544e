// The caps of one agent in one run. A cap is asked before each provider turn and each tool call, so the call that would
// cross it is never made; reaching one ends the loop as a normal stop. Turns and tool calls are counted. Tokens and cost are
// known only afterwards, so they are asked twice: what was spent, and what the next prompt is estimated to have.

import { AgentError } from "../errors.js";
import type { LlmMessage } from "../model/message.js";
import type { LlmToolDefinition, LlmTurnResponse } from "../model/provider.js";
import { showValue } from "../options.js";
import { addCost, costToUsd, reachesCost, toCost, type Cost, type UsageTotal } from "../model/usage.js";
import { createPromptEstimate, figure } from "./estimate.js";

/** Every field is optional. Turns and tool calls have defaults; tokens and cost are unlimited unless set. */
export interface BudgetLimits {
  /** Default 50. */
  readonly maxTurns?: number;
  /** Default 200. */
  readonly maxToolCalls?: number;
  /**
   * Input and output tokens together, as the provider reports them. A turn whose prompt is estimated to go beyond it is not
   * begun, so it is overshot by one answer and what the estimate missed. Of a provider that reports no usage only the first
   * prompt is held against it.
   */
  readonly maxTokens?: number;
  /**
   * In USD, exact to 1e-12; a smaller limit above 0 counts as that. Overshot like `maxTokens` once a turn has had a price, and
   * by one whole turn before. Never triggers for an agent whose provider reports no cost.
   */
  readonly maxCostUsd?: number;
}

export const DEFAULT_MAX_TURNS = 50;
export const DEFAULT_MAX_TOOL_CALLS = 200;

/** A limit of a budget; each is named as in {@link BudgetLimits}. */
export type BudgetCap = "turns" | "toolCalls" | "tokens" | "costUsd";

/** What one agent has spent of its limits in one run; made by {@link createBudget}. */
export interface Budget {
  /** Takes one turn, or says which cap forbids it. Without the prompt it is about to send, nothing is estimated. */
  takeTurn(messages?: readonly LlmMessage[], tools?: readonly LlmToolDefinition[]): BudgetCap | undefined;
  /** Takes one tool call, or says which cap forbids it. */
  takeToolCall(): BudgetCap | undefined;
  /** Adds what a turn used. */
  spend(response: LlmTurnResponse): void;
  /** Begins a further conversation that spends from the same caps, as an agent does that is entered again. */
  beginConversation(): void;
  readonly turns: number;
  readonly toolCalls: number;
  readonly usage: UsageTotal;
  /** The limit of a cap; Infinity when unlimited. */
  limitOf(cap: BudgetCap): number;
}

/** A fresh tracker. Throws `AgentError` `invalid-options` for a limit that is negative, not a number, or not whole. */
export function createBudget(limits: BudgetLimits = {}): Budget {
  const maxTurns = checked("maxTurns", limits.maxTurns ?? DEFAULT_MAX_TURNS, true);
  const maxToolCalls = checked("maxToolCalls", limits.maxToolCalls ?? DEFAULT_MAX_TOOL_CALLS, true);
  const maxTokens = checked("maxTokens", limits.maxTokens ?? Infinity, true);
  const maxCostUsd = checked("maxCostUsd", limits.maxCostUsd ?? Infinity, false);
  const maxCost = maxCostUsd === Infinity ? undefined : toCost(maxCostUsd);
  let turns = 0;
  let toolCalls = 0;
  let inputTokens = 0;
  let outputTokens = 0;
  let cost: Cost | undefined;

  const isCapped = maxTokens !== Infinity || maxCost !== undefined;
  const estimate = isCapped ? createPromptEstimate() : undefined;

  const spent = (): BudgetCap | undefined => {
    if (inputTokens + outputTokens >= maxTokens) return "tokens";
    if (maxCostUsd === 0) return "costUsd";
    return cost !== undefined && maxCost !== undefined && reachesCost(cost, maxCost) ? "costUsd" : undefined;
  };

  const wouldSpend = (messages: readonly LlmMessage[], tools: readonly LlmToolDefinition[]): BudgetCap | undefined => {
    const tokens = estimate?.tokens(messages, tools);
    if (tokens === undefined) return undefined;
    if (inputTokens + outputTokens + tokens > maxTokens) return "tokens";
    const usd = maxCost === undefined ? undefined : estimate?.costUsd(tokens);
    if (usd === undefined || maxCost === undefined || cost === undefined) return undefined;
    return reachesCost(maxCost, addCost(cost, toCost(usd))) ? undefined : "costUsd";
  };

  return {
    takeTurn(messages, tools = []) {
      let cap = turns >= maxTurns ? "turns" : spent();
      if (messages !== undefined && estimate !== undefined) cap ??= wouldSpend(messages, tools);
      if (cap === undefined) turns++;
      return cap;
    },
    takeToolCall() {
      if (toolCalls >= maxToolCalls) return "toolCalls";
      toolCalls++;
      return undefined;
    },
    spend(response) {
      const { usage, costUsd } = response;
      inputTokens += figure(usage?.inputTokens);
      outputTokens += figure(usage?.outputTokens);
      estimate?.learn(response);
      if (costUsd === undefined || figure(costUsd) !== costUsd) return;
      cost = cost === undefined ? toCost(costUsd) : addCost(cost, toCost(costUsd));
    },
    beginConversation() {
      estimate?.beginConversation();
    },
    get turns() {
      return turns;
    },
    get toolCalls() {
      return toolCalls;
    },
    get usage() {
      const tokens = { inputTokens, outputTokens };
      return cost === undefined ? tokens : { ...tokens, costUsd: costToUsd(cost) };
    },
    limitOf: (cap) => ({ turns: maxTurns, toolCalls: maxToolCalls, tokens: maxTokens, costUsd: maxCostUsd })[cap],
  };
}

function checked(name: string, value: number, whole: boolean): number {
  const isUsable = typeof value === "number" && value >= 0 && (!whole || Number.isInteger(value) || value === Infinity);
  if (isUsable) return value;
  throw new AgentError("invalid-options", `budget.${name} is ${showValue(value)}`, {
    hint: `Use ${whole ? "a whole number" : "a number"} of 0 or more, or leave it out.`,
  });
}
