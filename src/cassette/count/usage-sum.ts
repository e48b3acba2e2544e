// Tokens and prices summed over recorded turns. A turn without figures counts as unknown, which is not zero.

import {
  addCost,
  costOf,
  costToUsd,
  findRateName,
  isPlainObject,
  toCost,
  LIST_PRICES,
  type Cost,
  type LlmTurnResponse,
  type Pricing,
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
  /** Turns whose cost is derived by a price file. Absent: none is. */
  turnsWithFileCost?: number;
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

/** The path before a model's name in Google's APIs. */
const GOOGLE_PATH = /^(?:publishers\/google\/)?models\//;

/** The cost of one turn, and its source: the recording, a price file, or the list prices of `PRICING_DATE`. */
export interface TurnCost {
  costUsd: number;
  from: "recording" | "file" | "list";
}

/** Finds the cost of a turn. */
export type TurnPricer = (response: CountedTurn) => TurnCost | undefined;

/**
 * Returns a function that prices turns. A model of `given`, a price file, has the price of that file, even if its cost was recorded.
 * Undefined for a turn without a recorded cost whose tokens are unknown, or whose model no list has. That is not zero.
 */
export function createTurnPricer(given: Pricing = {}): TurnPricer {
  const prices = { ...LIST_PRICES, ...given };
  const hasFile = Object.keys(given).length > 0;
  return (response) => {
    const { inputTokens, outputTokens, costUsd } = usageOf(response);
    const { usage, model = "" } = response;
    if (costUsd !== undefined && !hasFile) return { costUsd, from: "recording" };
    const isCounted = Number.isSafeInteger(inputTokens) && Number.isSafeInteger(outputTokens);
    const name = findRateName(prices, model) ?? findRateName(prices, model.replace(GOOGLE_PATH, ""));
    const isGiven = name !== undefined && Object.hasOwn(given, name);
    if (costUsd !== undefined && !(isGiven && isCounted)) return { costUsd, from: "recording" };
    const rate = name === undefined ? undefined : prices[name];
    if (usage === undefined || !isCounted || rate === undefined) return undefined;
    return { costUsd: costOf(usage, rate), from: isGiven ? "file" : "list" };
  };
}

const priceTurn = createTurnPricer();

/** USD by the list prices of `PRICING_DATE`. Undefined for a stated cost, without model or tokens, and for a model on no list. */
export function derivedCostOf(response: CountedTurn): number | undefined {
  const cost = priceTurn(response);
  return cost?.from === "list" ? cost.costUsd : undefined;
}

/** The model of a turn that says its tokens, but has no price. */
export function unpricedModelOf(turn: CountedTurn, price: TurnPricer): string | undefined {
  return usageOf(turn).inputTokens === undefined || price(turn) !== undefined ? undefined : turn.model;
}

/** Returns the turns of a cassette for counting: if no answer names its model, the requested one counts. */
export function countedTurns(cassette: Cassette): CountedTurn[] {
  const asked = askedModelOf(cassette);
  return cassette.entries.map(({ response }) =>
    response.model === undefined && asked !== undefined ? { ...response, model: asked } : response,
  );
}

/**
 * The model that a cassette was recorded from, by its provider's name (`openai:gpt-4o`, `langchain:openai:gpt-4o`) or by the log it was
 * imported from. Undefined if the name lists several (`openai:gpt-4o + cohere:command-a-03-2025`).
 */
export function askedModelOf(cassette: Cassette): string | undefined {
  const { recordedProvider } = cassette;
  const imported: unknown = extensionsOf(cassette)["import"];
  if (isPlainObject(imported)) return typeof imported["model"] === "string" ? imported["model"] : undefined;
  if (recordedProvider.includes(" + ")) return undefined;
  const model = /^(?:langchain:)?[^:]*:(.+)$/s.exec(recordedProvider)?.[1];
  return recordedProvider === `langchain:${model}` ? undefined : model;
}

/** Sums usage. Costs come from `price`. By default, it uses recorded costs and list prices. */
export function createUsageCounter(price: TurnPricer = priceTurn): UsageCounter {
  const tokens = { turns: 0, inputTokens: 0, outputTokens: 0, turnsWithoutTokens: 0 };
  let [cacheReadTokens, cacheWriteTokens] = [0, 0];
  let [turnsWithoutCost, turnsWithDerivedCost, turnsWithFileCost] = [0, 0, 0];
  let cost: Cost | undefined;
  return {
    add(response) {
      const { inputTokens, outputTokens } = usageOf(response);
      const { costUsd, from } = price(response) ?? {};
      tokens.turns++;
      tokens.inputTokens += inputTokens ?? 0;
      tokens.outputTokens += outputTokens ?? 0;
      if (inputTokens === undefined) tokens.turnsWithoutTokens++;
      else {
        cacheReadTokens += toFigure(response.usage?.cacheReadTokens);
        cacheWriteTokens += toFigure(response.usage?.cacheWriteTokens);
      }
      if (from === "list") turnsWithDerivedCost++;
      if (from === "file") turnsWithFileCost++;
      if (costUsd === undefined) turnsWithoutCost++;
      else cost = cost === undefined ? toCost(costUsd) : addCost(cost, toCost(costUsd));
    },
    total: () => ({
      ...tokens,
      ...(cacheReadTokens === 0 ? {} : { cacheReadTokens }),
      ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
      ...(cost === undefined ? {} : { costUsd: costToUsd(cost) }),
      ...(turnsWithDerivedCost === 0 ? {} : { turnsWithDerivedCost }),
      ...(turnsWithFileCost === 0 ? {} : { turnsWithFileCost }),
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
