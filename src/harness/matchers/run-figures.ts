// What a run took, as far as it says: turns, calls, tokens, money, time. What it does not say is unknown, which is not zero.

import {
  countedTurns,
  createUsageCounter,
  derivedCostOf,
  usageOf,
  type CountedTurn,
  type TurnUsage,
} from "../../cassette/index.js";
import { cassetteOf, findCarrier } from "./carrier.js";
import { misfit, misuse } from "./matcher.js";
import { eventsOf, findRun, madeCallsOf, type RunLike } from "./run-result.js";

/** With `why` the figure is unknown, and `value` is the sum of what is known. */
export interface Figure {
  value: number;
  why?: string;
}

export type RunFigures = Record<keyof Sums | "turns" | "toolCalls" | "ms", Figure>;

const SHOWN_TURNS = 5;

export function figuresOf(matcher: string, received: unknown): RunFigures {
  if (findCarrier(received) !== undefined) {
    const cassette = cassetteOf(matcher, received, false);
    const { entries } = cassette;
    if (entries.length === 0) throw misuse(matcher, "the cassette has no turns", "Run the agent and record it first.");
    return {
      ...sumOf(countedTurns(cassette)),
      turns: { value: entries.length },
      toolCalls: { value: madeCallsOf(matcher, received).calls.length },
      ms: { value: 0, why: "a cassette does not say how long the run took" },
    };
  }
  const run = findRun(received);
  if (run === undefined) {
    const hint = "Pass what run() gave as a whole, a cassette, a provider, or the handle of useCassette.";
    throw misfit(matcher, "it needs the result of a run or a value with a cassette", received, hint);
  }
  const calls = madeCallsOf(matcher, received).calls.length;
  return { ...usageOfRun(run), turns: { value: run.turns }, toolCalls: { value: calls }, ms: timeOf(run) };
}

type Sums = Record<"tokens" | "inputTokens" | "outputTokens" | "usd", Figure>;

/** Of events that were not kept nobody knows what they said. */
function usageOfRun(run: RunLike): Sums {
  const told = eventsOf(run, "llm-turn");
  const sums = sumOf(told);
  const lost = run.turns - told.length;
  if (lost === 0) return sums;
  const why = `the events of ${lost} of ${run.turns} turns are not there`;
  return Object.fromEntries(Object.entries(sums).map(([name, { value }]) => [name, { value, why }])) as Sums;
}

function sumOf(turns: readonly CountedTurn[]): Sums {
  const counter = createUsageCounter();
  const silent: Record<keyof TurnUsage, number[]> = { inputTokens: [], outputTokens: [], costUsd: [] };
  turns.forEach((turn, index) => {
    counter.add(turn);
    const said = { costUsd: derivedCostOf(turn), ...usageOf(turn) };
    for (const field of Object.keys(silent) as (keyof TurnUsage)[]) {
      if (said[field] === undefined) silent[field].push(index);
    }
  });
  const { inputTokens, outputTokens, costUsd = 0 } = counter.total();
  const figure = (value: number, field: keyof TurnUsage, what: string): Figure =>
    silent[field].length === 0 ? { value } : { value, why: `${turnsText(silent[field])} ${what}` };
  return {
    tokens: figure(inputTokens + outputTokens, "inputTokens", "without a number of tokens"),
    inputTokens: figure(inputTokens, "inputTokens", "without a number of tokens"),
    outputTokens: figure(outputTokens, "outputTokens", "without a number of tokens"),
    usd: figure(costUsd, "costUsd", "without a price"),
  };
}

function timeOf(run: RunLike): Figure {
  const [start, end] = [eventsOf(run, "run-start")[0], eventsOf(run, "run-end").at(-1)];
  if (start !== undefined && end !== undefined) return { value: end.at - start.at };
  return { value: 0, why: "the events of its start and end are not there" };
}

function turnsText(turns: readonly number[]): string {
  const shown = turns.slice(0, SHOWN_TURNS).join(", ");
  const rest = turns.length - SHOWN_TURNS;
  return `${turns.length === 1 ? "turn" : "turns"} ${shown}${rest > 0 ? ` and ${rest} more` : ""}`;
}
