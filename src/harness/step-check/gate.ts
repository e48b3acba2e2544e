// The limits that all cassettes of one check share: turns, concurrent calls, and cost. A call that might exceed the cost limit waits
// for the calls under way. If it might still exceed the limit, it is not made.

import pLimit from "p-limit";
import {
  addCost,
  assertKnownOptions,
  costOf,
  reachesCost,
  showValue,
  toCost,
  TOKENS_PER_IMAGE,
  type Cost,
  type LlmMessage,
  type LlmToolDefinition,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Rate,
} from "../../core/index.js";
import { HarnessError } from "../errors.js";
import { MAX_STEPS_AT_ONCE } from "../limits.js";

/** The assumed most tokens of an answer if the recorded settings have no `maxTokens`. */
const ASSUMED_OUTPUT_TOKENS = 4_096;
/** The most tokens that a vendor adds around a message. */
const TOKENS_PER_MESSAGE = 16;

/** The limits of {@link createStepGate}. */
export interface StepLimits {
  /** The number of turns to check, in the order of the cassettes. Turns that are already answered count. */
  readonly maxTurns?: number;
  /** The most USD to spend. A turn whose call might exceed it is not asked. */
  readonly maxCostUsd?: number;
  /** The price of the model in USD per million tokens. Undefined: unknown. */
  readonly rate?: Rate;
  /** With `maxCostUsd` and an unknown price: stop once the reported costs reach the limit, instead of refusing to start. */
  readonly allowUnknownCost?: boolean;
  /** Concurrent calls. Default 4, at most {@link MAX_STEPS_AT_ONCE}. */
  readonly concurrency?: number;
}

/** Why a turn was not asked. `stopped`: an earlier failure would repeat in every further call. */
export type StepStop = "max-turns" | "max-cost" | "stopped";

/** Permission for a call. */
export interface StepTicket {
  /** Call it once, with the answer if there was one. A failed call counts as free. */
  settle(response?: LlmTurnResponse): void;
}

/** The limits that several step checks share; made by {@link createStepGate}. */
export interface StepGate {
  /** The number of the next `turns` turns that may be checked. */
  admit(turns: number): number;
  /** Runs `work` as soon as the limit of concurrent calls allows it. */
  run<T>(work: () => Promise<T>): Promise<T>;
  take(request: LlmTurnRequest): Promise<StepTicket | StepStop>;
  /** Makes no further call. */
  stop(): void;
}

const OPTIONS = ["maxTurns", "maxCostUsd", "rate", "allowUnknownCost", "concurrency"];

/** Limits for several step checks. Throws `AgentError` `invalid-options`, or `HarnessError` `limits-unclear` or `cost-unknown`. */
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
    // Without a price nothing can be reserved, so the reported costs decide.
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
  // Input written to a cache may cost more than the plain rate.
  const input = Math.max(rate.input, rate.cacheWrite ?? 0);
  return costOf({ inputTokens: mostTokens(messages, tools), outputTokens }, { input, output: rate.output });
}

/** An upper bound, several times the true count for English: at most one token per byte. Images count as a vendor's largest. */
function mostTokens(messages: readonly LlmMessage[], tools: readonly LlmToolDefinition[]): number {
  let images = 0;
  const text = JSON.stringify([messages, tools], (_key, value: unknown) => {
    if (typeof value !== "object" || value === null || !("type" in value) || value.type !== "image") return value;
    images++;
    return null;
  });
  return new TextEncoder().encode(text).length + TOKENS_PER_MESSAGE * messages.length + TOKENS_PER_IMAGE * images;
}

function paidFor({ costUsd, usage }: LlmTurnResponse, rate: Rate | undefined): Cost | undefined {
  if (costUsd !== undefined && Number.isFinite(costUsd) && costUsd >= 0) return toCost(costUsd);
  return rate === undefined || usage === undefined ? undefined : toCost(costOf(usage, rate));
}

function assertLimits(maxTurns: number, maxCostUsd: number, concurrency: number): void {
  const isCount = (value: number, most: number) => Number.isSafeInteger(value) && value >= 1 && value <= most;
  const wrong = [
    { name: "maxTurns", value: maxTurns, isValid: maxTurns === Infinity || isCount(maxTurns, Number.MAX_SAFE_INTEGER) },
    { name: "maxCostUsd", value: maxCostUsd, isValid: maxCostUsd > 0 },
    { name: "concurrency", value: concurrency, isValid: isCount(concurrency, MAX_STEPS_AT_ONCE) },
  ].find(({ isValid }) => !isValid);
  if (wrong === undefined) return;
  throw new HarnessError(
    "limits-unclear",
    `${wrong.name} of a step check is ${showValue(wrong.value)}`,
    `Use whole numbers from 1 for maxTurns and concurrency (at most ${MAX_STEPS_AT_ONCE}), and maxCostUsd above 0.`,
  );
}

function costUnknown(): HarnessError {
  return new HarnessError(
    "cost-unknown",
    "the cost limit cannot be enforced, because the price of the model is unknown",
    "Give the price (--price IN,OUT in USD per million tokens), or allow an unknown cost (--allow-unknown-cost).",
  );
}
