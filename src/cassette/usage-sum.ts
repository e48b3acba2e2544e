// Tokens and prices summed over recorded turns. A turn that says nothing of them is counted as unknown, which is not zero.

import { addCost, costToUsd, toCost, type Cost, type LlmTurnResponse } from "../core/index.js";

/** What one answer says of itself; a figure that is no finite number of 0 or more is none. */
export interface TurnUsage {
  inputTokens?: number;
  outputTokens?: number;
  costUsd?: number;
}

/** A sum over turns. The costs are exact to 1e-12 USD. */
export interface UsageSum {
  turns: number;
  inputTokens: number;
  outputTokens: number;
  /** Turns that do not say how many tokens they took; the sums are without them. */
  turnsWithoutTokens: number;
  /** Absent when no turn has a price. */
  costUsd?: number;
  turnsWithoutCost: number;
}

/** What is counted of an answer. */
type Counted = Pick<LlmTurnResponse, "usage" | "costUsd">;

/** Takes answers one by one and keeps sums alone. */
export interface UsageCounter {
  add(response: Counted): void;
  total(): UsageSum;
}

/** The figures of one answer that can be counted. Tokens are there together or not at all. */
export function usageOf({ usage, costUsd }: Counted): TurnUsage {
  const { inputTokens, outputTokens } = usage ?? {};
  return {
    ...(isFigure(inputTokens) && isFigure(outputTokens) ? { inputTokens, outputTokens } : {}),
    ...(isFigure(costUsd) ? { costUsd } : {}),
  };
}

/** A sum of no turns yet. */
export function createUsageCounter(): UsageCounter {
  const tokens = { turns: 0, inputTokens: 0, outputTokens: 0, turnsWithoutTokens: 0 };
  let turnsWithoutCost = 0;
  let cost: Cost | undefined;
  return {
    add(response) {
      const { inputTokens, outputTokens, costUsd } = usageOf(response);
      tokens.turns++;
      tokens.inputTokens += inputTokens ?? 0;
      tokens.outputTokens += outputTokens ?? 0;
      if (inputTokens === undefined) tokens.turnsWithoutTokens++;
      if (costUsd === undefined) turnsWithoutCost++;
      else cost = cost === undefined ? toCost(costUsd) : addCost(cost, toCost(costUsd));
    },
    total: () => ({ ...tokens, ...(cost === undefined ? {} : { costUsd: costToUsd(cost) }), turnsWithoutCost }),
  };
}

/** The sum over the turns of one cassette. */
export function sumUsage(responses: readonly LlmTurnResponse[]): UsageSum {
  const counter = createUsageCounter();
  for (const response of responses) counter.add(response);
  return counter.total();
}

function isFigure(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
