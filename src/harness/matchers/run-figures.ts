// The figures that a run reports: turns, calls, tokens, cost and time. A figure without a report is unknown, not zero.

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

/** A figure. With `why` it is incomplete, and `value` is the known part. */
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
      ms: { value: 0, why: "a cassette does not record how long the run took" },
    };
  }
  const run = findRun(received);
  if (run === undefined) {
    const hint = "Pass the whole result of run(), a cassette, a provider, or the handle of useCassette.";
    throw misfit(matcher, "it needs the result of a run or a value with a cassette", received, hint);
  }
  const calls = madeCallsOf(matcher, received).calls.length;
  return { ...usageOfRun(run), turns: { value: run.turns }, toolCalls: { value: calls }, ms: timeOf(run) };
}

type Sums = Record<"tokens" | "inputTokens" | "outputTokens" | "usd", Figure>;

/** Sums the usage in the run's events. If events were dropped, the sums are incomplete. */
function usageOfRun(run: RunLike): Sums {
  const kept = eventsOf(run, "llm-turn");
  const sums = sumOf(kept);
  const lost = run.turns - kept.length;
  if (lost === 0) return sums;
  const why = `the events of ${lost} of ${run.turns} turns were dropped`;
  return Object.fromEntries(Object.entries(sums).map(([name, { value }]) => [name, { value, why }])) as Sums;
}

function sumOf(turns: readonly CountedTurn[]): Sums {
  const counter = createUsageCounter();
  const silent: Record<keyof TurnUsage, number[]> = { inputTokens: [], outputTokens: [], costUsd: [] };
  turns.forEach((turn, index) => {
    counter.add(turn);
    const reported = { costUsd: derivedCostOf(turn), ...usageOf(turn) };
    for (const field of Object.keys(silent) as (keyof TurnUsage)[]) {
      if (reported[field] === undefined) silent[field].push(index);
    }
  });
  const { inputTokens, outputTokens, costUsd = 0 } = counter.total();
  const figure = (value: number, field: keyof TurnUsage, what: string): Figure =>
    silent[field].length === 0 ? { value } : { value, why: `${turnsText(silent[field])} ${what}` };
  return {
    tokens: figure(inputTokens + outputTokens, "inputTokens", "without a token count"),
    inputTokens: figure(inputTokens, "inputTokens", "without a token count"),
    outputTokens: figure(outputTokens, "outputTokens", "without a token count"),
    usd: figure(costUsd, "costUsd", "without a price"),
  };
}

function timeOf(run: RunLike): Figure {
  const [start, end] = [eventsOf(run, "run-start")[0], eventsOf(run, "run-end").at(-1)];
  if (start !== undefined && end !== undefined) return { value: end.at - start.at };
  return { value: 0, why: "its start or end event was dropped" };
}

function turnsText(turns: readonly number[]): string {
  const shown = turns.slice(0, SHOWN_TURNS).join(", ");
  const rest = turns.length - SHOWN_TURNS;
  return `${turns.length === 1 ? "turn" : "turns"} ${shown}${rest > 0 ? ` and ${rest} more` : ""}`;
}
