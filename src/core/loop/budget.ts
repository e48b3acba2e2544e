// The caps of one agent in one run, checked before each provider turn and each tool call, so the call that would cross a cap is never
// made. Tokens and cost are known only after a turn, so a turn must pass two checks: what was spent, and an estimate of the next prompt.

import { defined } from "../defined.js";
import { invalidOptions } from "../errors.js";
import { DEFAULT_MAX_TOOL_CALLS, DEFAULT_MAX_TURNS } from "../limits.js";
import type { LlmMessage } from "../model/message.js";
import type { LlmToolDefinition, LlmTurnResponse } from "../model/provider.js";
import { assertKnownOptions } from "../options.js";
import { showValue } from "../text/show.js";
import { addCost, costToUsd, reachesCost, toCost, type Cost, type UsageTotal } from "../model/usage.js";
import { createPromptEstimate, figure, type EstimateState, type PromptEstimate } from "./estimate.js";

/** The limits of an agent in one run. Tokens and cost are unlimited unless set. */
export interface BudgetLimits {
  /** Default 50. */
  readonly maxTurns?: number;
  /** Default 200. */
  readonly maxToolCalls?: number;
  /**
   * Input and output tokens together, as the provider reports them. A turn whose prompt is estimated to exceed the limit is not
   * begun, so the overshoot is one answer and the error of the estimate. For a provider that reports no usage, only the first
   * prompt is checked.
   */
  readonly maxTokens?: number;
  /**
   * In USD, exact to 1e-12; a smaller limit above 0 counts as that. Before the first turn with a price the overshoot is one whole
   * turn, later as for `maxTokens`. Never triggers if the provider reports no cost.
   */
  readonly maxCostUsd?: number;
}

/** A limit of a budget; each is named as in {@link BudgetLimits}. */
export type BudgetCap = "turns" | "toolCalls" | "tokens" | "costUsd";

/** What a budget has counted and learnt, as plain JSON. `estimate` is there if a cap needs one. */
export interface BudgetSpent {
  readonly turns: number;
  readonly toolCalls: number;
  readonly usage: UsageTotal;
  readonly estimate?: EstimateState;
}

export interface Budget {
  /** Takes one turn, or returns the cap that forbids it. Without the prompt to be sent, nothing is estimated. */
  takeTurn(messages?: readonly LlmMessage[], tools?: readonly LlmToolDefinition[]): BudgetCap | undefined;
  /** Takes one tool call, or returns the cap that forbids it. */
  takeToolCall(): BudgetCap | undefined;
  /** Gives back the turn that was taken last, which was never sent. */
  returnTurn(): void;
  /** `messages`: how many were in the conversation when it was sent. Default: as many as `takeTurn` was told. */
  spend(response: LlmTurnResponse, messages?: number): void;
  /** Begins another conversation under the same caps, as an agent does that is entered again. */
  beginConversation(): void;
  readonly turns: number;
  readonly toolCalls: number;
  readonly usage: UsageTotal;
  /** For a budget of another process that goes on from here. */
  readonly spent: BudgetSpent;
  /** The limit of a cap; Infinity if unlimited. */
  limitOf(cap: BudgetCap): number;
}

const LIMITS: readonly (keyof BudgetLimits)[] = ["maxTurns", "maxToolCalls", "maxTokens", "maxCostUsd"];

/**
 * A budget of which nothing is spent, or what `spent` says. Throws `AgentError` `invalid-options` for an unknown or wrong limit;
 * `owner` names it.
 */
export function createBudget(limits: BudgetLimits = {}, owner = "a budget", spent?: BudgetSpent): Budget {
  assertKnownOptions(owner, limits, LIMITS);
  return new Tracker(limits, spent);
}

/** A class with own methods, which may be passed on: a literal with getters takes a multiple of the time (measured), once for each run. */
class Tracker implements Budget {
  turns = 0;
  toolCalls = 0;
  readonly #maxTurns: number;
  readonly #maxToolCalls: number;
  readonly #maxTokens: number;
  readonly #maxCostUsd: number;
  readonly #maxCost: Cost | undefined;
  /** Present only if a cap needs it. */
  readonly #estimate: PromptEstimate | undefined;
  private inputTokens = 0;
  private outputTokens = 0;
  private cost: Cost | undefined;

  constructor(limits: BudgetLimits, spent?: BudgetSpent) {
    this.#maxTurns = checked("maxTurns", limits.maxTurns ?? DEFAULT_MAX_TURNS, true);
    this.#maxToolCalls = checked("maxToolCalls", limits.maxToolCalls ?? DEFAULT_MAX_TOOL_CALLS, true);
    this.#maxTokens = checked("maxTokens", limits.maxTokens ?? Infinity, true);
    this.#maxCostUsd = checked("maxCostUsd", limits.maxCostUsd ?? Infinity, false);
    this.#maxCost = this.#maxCostUsd === Infinity ? undefined : toCost(this.#maxCostUsd);
    const isCapped = this.#maxTokens !== Infinity || this.#maxCost !== undefined;
    this.#estimate = isCapped ? createPromptEstimate(spent?.estimate) : undefined;
    if (spent !== undefined) this.#restore(spent);
  }

  #restore({ turns, toolCalls, usage }: BudgetSpent): void {
    this.turns = turns;
    this.toolCalls = toolCalls;
    this.inputTokens = usage.inputTokens;
    this.outputTokens = usage.outputTokens;
    this.cost = usage.costUsd === undefined ? undefined : toCost(usage.costUsd);
  }

  get usage(): UsageTotal {
    const tokens = { inputTokens: this.inputTokens, outputTokens: this.outputTokens };
    return this.cost === undefined ? tokens : { ...tokens, costUsd: costToUsd(this.cost) };
  }

  get spent(): BudgetSpent {
    const { turns, toolCalls, usage } = this;
    return { turns, toolCalls, usage, ...defined({ estimate: this.#estimate?.state() }) };
  }

  readonly returnTurn = (): void => {
    this.turns--;
  };

  readonly takeTurn = (
    messages?: readonly LlmMessage[],
    tools: readonly LlmToolDefinition[] = [],
  ): BudgetCap | undefined => {
    let cap = this.turns >= this.#maxTurns ? "turns" : this.#spent();
    if (messages !== undefined && this.#estimate !== undefined)
      cap ??= this.#wouldSpend(this.#estimate, messages, tools);
    if (cap === undefined) this.turns++;
    return cap;
  };

  readonly takeToolCall = (): BudgetCap | undefined => {
    if (this.toolCalls >= this.#maxToolCalls) return "toolCalls";
    this.toolCalls++;
    return undefined;
  };

  readonly spend = (response: LlmTurnResponse, messages?: number): void => {
    const { usage, costUsd } = response;
    this.inputTokens += figure(usage?.inputTokens);
    this.outputTokens += figure(usage?.outputTokens);
    this.#estimate?.learn(response, messages);
    if (costUsd === undefined || figure(costUsd) !== costUsd) return;
    this.cost = this.cost === undefined ? toCost(costUsd) : addCost(this.cost, toCost(costUsd));
  };

  readonly beginConversation = (): void => {
    this.#estimate?.beginConversation();
  };

  readonly limitOf = (cap: BudgetCap): number => {
    const [turns, toolCalls, tokens, costUsd] = [this.#maxTurns, this.#maxToolCalls, this.#maxTokens, this.#maxCostUsd];
    return { turns, toolCalls, tokens, costUsd }[cap];
  };

  #spent(): BudgetCap | undefined {
    if (this.inputTokens + this.outputTokens >= this.#maxTokens) return "tokens";
    if (this.#maxCostUsd === 0) return "costUsd";
    if (this.cost === undefined || this.#maxCost === undefined) return undefined;
    return reachesCost(this.cost, this.#maxCost) ? "costUsd" : undefined;
  }

  #wouldSpend(
    estimate: PromptEstimate,
    messages: readonly LlmMessage[],
    tools: readonly LlmToolDefinition[],
  ): BudgetCap | undefined {
    const tokens = estimate.tokens(messages, tools);
    if (tokens === undefined) return undefined;
    if (this.inputTokens + this.outputTokens + tokens > this.#maxTokens) return "tokens";
    const usd = this.#maxCost === undefined ? undefined : estimate.costUsd(tokens);
    if (usd === undefined || this.#maxCost === undefined || this.cost === undefined) return undefined;
    return reachesCost(this.#maxCost, addCost(this.cost, toCost(usd))) ? undefined : "costUsd";
  }
}

function checked(name: string, value: number, whole: boolean): number {
  const isUsable = typeof value === "number" && value >= 0 && (!whole || Number.isInteger(value) || value === Infinity);
  if (isUsable) return value;
  throw invalidOptions(
    `budget.${name} is ${showValue(value)}`,
    `Use ${whole ? "a whole number" : "a number"} of 0 or more, or leave it out.`,
  );
}
