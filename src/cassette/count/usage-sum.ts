// Tokens and prices summed over recorded turns. A turn without figures counts as unknown, which is not zero.

import {
  addCost,
  costOf,
  costToUsd,
  findRate,
  isPlainObject,
  toCost,
  VENDORS,
  type Cost,
  type LlmTurnResponse,
  type Pricing,
  type Vendor,
} from "../../core/index.js";
import { extensionsOf, type Cassette } from "../file/format.js";

/** The figures of one answer. One that is not a finite number of 0 or more is left out. */
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
  /** Input tokens that were read from a cache and written to one. Both are part of `inputTokens`, and absent when 0. */
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  /** Turns that do not say how many tokens they took; the sums are without them. */
  turnsWithoutTokens: number;
  /** Absent when no turn has a price. */
  costUsd?: number;
  /** Turns whose cost is derived from model and tokens by the list prices of `PRICING_DATE`. Absent: none is. */
  turnsWithDerivedCost?: number;
  turnsWithoutCost: number;
}

/** What is counted of an answer. With `model`, a cost that it does not say can be derived. */
export type CountedTurn = Pick<LlmTurnResponse, "usage" | "costUsd" | "model">;

export interface UsageCounter {
  add(response: CountedTurn): void;
  total(): UsageSum;
}

/** The figures of one answer that can be counted. Tokens are there together or not at all. */
export function usageOf({ usage, costUsd }: CountedTurn): TurnUsage {
  const { inputTokens, outputTokens } = usage ?? {};
  return {
    ...(isFigure(inputTokens) && isFigure(outputTokens) ? { inputTokens, outputTokens } : {}),
    ...(isFigure(costUsd) ? { costUsd } : {}),
  };
}

const LIST_PRICES: Pricing = Object.fromEntries(
  Object.values<Vendor>(VENDORS).flatMap(({ pricing = {} }) => Object.entries(pricing)),
);

/** USD by the list prices of `PRICING_DATE`. Undefined for a stated cost, without model or tokens, and for a model on no list. */
export function derivedCostOf(response: CountedTurn): number | undefined {
  const { inputTokens, outputTokens, costUsd } = usageOf(response);
  const { usage, model = "" } = response;
  const isCounted = Number.isSafeInteger(inputTokens) && Number.isSafeInteger(outputTokens);
  if (costUsd !== undefined || usage === undefined || !isCounted) return undefined;
  const rate = findRate(LIST_PRICES, model);
  return rate === undefined ? undefined : costOf(usage, rate);
}

/** Returns the turns of a cassette for counting: if no answer names its model, the requested one counts. */
export function countedTurns(cassette: Cassette): CountedTurn[] {
  const asked = askedModelOf(cassette);
  return cassette.entries.map(({ response }) =>
    response.model === undefined && asked !== undefined ? { ...response, model: asked } : response,
  );
}

/** The model that a cassette was recorded from, by its provider's name (`openai:gpt-4o`) or by the log it was imported from. */
export function askedModelOf(cassette: Cassette): string | undefined {
  const { recordedProvider } = cassette;
  const imported: unknown = extensionsOf(cassette)["import"];
  if (isPlainObject(imported)) return typeof imported["model"] === "string" ? imported["model"] : undefined;
  const model = recordedProvider.slice(recordedProvider.indexOf(":") + 1);
  return recordedProvider.includes(":") && model !== "" ? model : undefined;
}

export function createUsageCounter(): UsageCounter {
  const tokens = { turns: 0, inputTokens: 0, outputTokens: 0, turnsWithoutTokens: 0 };
  let [cacheReadTokens, cacheWriteTokens] = [0, 0];
  let [turnsWithoutCost, turnsWithDerivedCost] = [0, 0];
  let cost: Cost | undefined;
  return {
    add(response) {
      const { inputTokens, outputTokens, costUsd: said } = usageOf(response);
      const derived = derivedCostOf(response);
      const costUsd = said ?? derived;
      tokens.turns++;
      tokens.inputTokens += inputTokens ?? 0;
      tokens.outputTokens += outputTokens ?? 0;
      if (inputTokens === undefined) tokens.turnsWithoutTokens++;
      else {
        cacheReadTokens += toFigure(response.usage?.cacheReadTokens);
        cacheWriteTokens += toFigure(response.usage?.cacheWriteTokens);
      }
      if (derived !== undefined) turnsWithDerivedCost++;
      if (costUsd === undefined) turnsWithoutCost++;
      else cost = cost === undefined ? toCost(costUsd) : addCost(cost, toCost(costUsd));
    },
    total: () => ({
      ...tokens,
      ...(cacheReadTokens === 0 ? {} : { cacheReadTokens }),
      ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
      ...(cost === undefined ? {} : { costUsd: costToUsd(cost) }),
      ...(turnsWithDerivedCost === 0 ? {} : { turnsWithDerivedCost }),
      turnsWithoutCost,
    }),
  };
}

export function sumUsage(responses: readonly CountedTurn[]): UsageSum {
  const counter = createUsageCounter();
  for (const response of responses) counter.add(response);
  return counter.total();
}

function toFigure(value: unknown): number {
  return isFigure(value) ? value : 0;
}

function isFigure(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
