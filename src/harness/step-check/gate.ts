// The limits that all cassettes of one check share: how many turns, how many at once, and how much money. A call that might
// cross the cost limit waits for those under way, and is not made where it still might.

import pLimit from "p-limit";
import {
  addCost,
  assertKnownOptions,
  costOf,
  reachesCost,
  showValue,
  toCost,
  type Cost,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Rate,
} from "../../core/index.js";
import { HarnessError } from "../errors.js";
import { mostTokens } from "./tokens.js";

/** Tokens that an answer is taken to have at most where the recorded settings name no `maxTokens`. */
export const ASSUMED_OUTPUT_TOKENS = 4_096;

/** The most calls that one gate makes at once. */
export const MAX_STEPS_AT_ONCE = 64;

/** The limits of {@link createStepGate}. */
export interface StepLimits {
  /** The first so many turns, in the order of the cassettes, are checked; those already answered count too. */
  readonly maxTurns?: number;
  /** USD that this check may spend. A turn whose call might exceed it is not asked. */
  readonly maxCostUsd?: number;
  /** What the model costs, in USD per million tokens. Undefined: unknown. */
  readonly rate?: Rate;
  /** With `maxCostUsd` and an unknown price: stop once the reported costs reach the limit, instead of refusing to begin. */
  readonly allowUnknownCost?: boolean;
  /** Calls at once. Default 4, at most {@link MAX_STEPS_AT_ONCE}. */
  readonly concurrency?: number;
}

/** Why a turn was not asked. `stopped`: an earlier failure that every further call would have too. */
export type StepStop = "max-turns" | "max-cost" | "stopped";

/** A call that may be made. */
export interface StepTicket {
  /** To be called once, with the answer if there was one. A call that failed counts as free. */
  settle(response?: LlmTurnResponse): void;
}

/** The limits that several step checks share; made by {@link createStepGate}. */
export interface StepGate {
  /** How many of the next `turns` turns may be checked. */
  admit(turns: number): number;
  /** Runs `work` when there is room for it. */
  run<T>(work: () => Promise<T>): Promise<T>;
  take(request: LlmTurnRequest): Promise<StepTicket | StepStop>;
  /** Makes no further call. */
  stop(): void;
}

const OPTIONS = ["maxTurns", "maxCostUsd", "rate", "allowUnknownCost", "concurrency"];

/**
 * Limits to be shared by several step checks. Throws `AgentError` `invalid-options`, or `HarnessError` `cost-unknown`.
 */
export function createStepGate(limits: StepLimits = {}): StepGate {
  assertKnownOptions("createStepGate", limits, OPTIONS);
  const { maxTurns = Infinity, maxCostUsd = Infinity, rate, concurrency = 4 } = limits;
  assertLimits(maxTurns, maxCostUsd, concurrency);
  if (maxCostUsd !== Infinity && rate === undefined && limits.allowUnknownCost !== true) throw costUnknown();
  const limit = pLimit(concurrency);
  const purse = createPurse(maxCostUsd, rate);
  let admitted = 0;
  let isStopped = false;
  return {
    admit(turns) {
      const before = admitted;
      admitted = Math.min(maxTurns, admitted + turns);
      return admitted - before;
    },
    run: (work) => limit(work),
    async take(request) {
      if (isStopped) return "stopped";
      const ticket = await purse.take(request);
      if (!isStopped) return ticket ?? "max-cost";
      ticket?.settle();
      return "stopped";
    },
    stop: () => void (isStopped = true),
  };
}

function createPurse(maxCostUsd: number, rate: Rate | undefined) {
  const most = maxCostUsd === Infinity ? undefined : toCost(maxCostUsd);
  const underWay = new Set<Cost>();
  let spent = toCost(0);
  let waiting: (() => void)[] = [];

  const fits = (next: Cost): boolean => {
    if (most === undefined) return true;
    const total = [...underWay, next].reduce(addCost, spent);
    // Where the price is unknown nothing can be reserved: what was reported decides.
    return rate === undefined ? !reachesCost(spent, most) : reachesCost(most, total);
  };

  return {
    async take(request: LlmTurnRequest): Promise<StepTicket | undefined> {
      const reserved = rate === undefined ? toCost(0) : toCost(mostCost(request, rate));
      while (!fits(reserved)) {
        if (underWay.size === 0) return undefined;
        await new Promise<void>((wake) => waiting.push(wake));
      }
      underWay.add(reserved);
      return {
        settle(response) {
          underWay.delete(reserved);
          if (response !== undefined) spent = addCost(spent, paidFor(response, rate) ?? reserved);
          const woken = waiting;
          waiting = [];
          for (const wake of woken) wake();
        },
      };
    },
  };
}

function mostCost({ messages, tools = [], settings }: LlmTurnRequest, rate: Rate): number {
  const outputTokens = settings?.maxTokens ?? ASSUMED_OUTPUT_TOKENS;
  // Written to a cache, input may cost more than its plain rate.
  const input = Math.max(rate.input, rate.cacheWrite ?? 0);
  return costOf({ inputTokens: mostTokens(messages, tools), outputTokens }, { input, output: rate.output });
}

function paidFor({ costUsd, usage }: LlmTurnResponse, rate: Rate | undefined): Cost | undefined {
  if (costUsd !== undefined && Number.isFinite(costUsd) && costUsd >= 0) return toCost(costUsd);
  return rate === undefined || usage === undefined ? undefined : toCost(costOf(usage, rate));
}

function assertLimits(maxTurns: number, maxCostUsd: number, concurrency: number): void {
  const isCount = (value: number, most: number) => Number.isSafeInteger(value) && value >= 1 && value <= most;
  const wrong =
    maxTurns !== Infinity && !isCount(maxTurns, Number.MAX_SAFE_INTEGER)
      ? `maxTurns is ${showValue(maxTurns)}`
      : !(maxCostUsd > 0)
        ? `maxCostUsd is ${showValue(maxCostUsd)}`
        : !isCount(concurrency, MAX_STEPS_AT_ONCE)
          ? `concurrency is ${showValue(concurrency)}`
          : undefined;
  if (wrong === undefined) return;
  throw new HarnessError(
    "limits-unclear",
    `${wrong} of a step check`,
    `maxTurns and concurrency are whole numbers from 1, the latter to ${MAX_STEPS_AT_ONCE}; maxCostUsd is above 0.`,
  );
}

function costUnknown(): HarnessError {
  return new HarnessError(
    "cost-unknown",
    "a cost limit was given, but the price of the model is not known, so it could not be kept",
    "Give the price (--price IN,OUT in USD per million tokens), or allow it (--allow-unknown-cost).",
  );
}
