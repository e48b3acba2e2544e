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
import { misuse } from "./matcher.js";
import { eventsOf, findRun, madeCallsOf, type RunLike } from "./run-result.js";
import { describeValue } from "../text/describe.js";

/** `atLeast` is the sum of what is known. */
export type Figure = { kind: "known"; value: number } | { kind: "unknown"; atLeast: number; why: string };

export interface RunFigures {
  turns: Figure;
  toolCalls: Figure;
  tokens: Figure;
  inputTokens: Figure;
  outputTokens: Figure;
  usd: Figure;
  ms: Figure;
}

const MAX_TURNS_NAMED = 5;

export function figuresOf(matcher: string, received: unknown): RunFigures {
  if (findCarrier(received) !== undefined) {
    const cassette = cassetteOf(matcher, received, false);
    const { entries } = cassette;
    if (entries.length === 0) throw misuse(matcher, "the cassette has no turns", "Run the agent and record it first.");
    const calls = madeCallsOf(matcher, received).calls.length;
    const ms: Figure = { kind: "unknown", atLeast: 0, why: "a cassette does not say how long the run took" };
    return {
      ...sumOf(countedTurns(cassette)),
      turns: known(entries.length),
      toolCalls: known(calls),
      ms,
    };
  }
  const run = findRun(received);
  if (run === undefined) {
    const what = `it needs the result of a run or what carries a cassette and was given ${describeValue(received)}`;
    throw misuse(
      matcher,
      what,
      "Pass what run() gave as a whole, a cassette, a provider, or the handle of useCassette.",
    );
  }
  const calls = madeCallsOf(matcher, received).calls.length;
  return { ...usageOfRun(run), turns: known(run.turns), toolCalls: known(calls), ms: timeOf(run) };
}

type Sums = Pick<RunFigures, "tokens" | "inputTokens" | "outputTokens" | "usd">;

/** Of events that were not kept nobody knows what they said. */
function usageOfRun(run: RunLike): Sums {
  const told = eventsOf(run, "llm-turn");
  const sums = sumOf(told);
  const lost = run.turns - told.length;
  if (lost === 0) return sums;
  const why = `the events of ${lost} of ${run.turns} turns are not there`;
  const unsure = (figure: Figure): Figure => ({
    kind: "unknown",
    atLeast: figure.kind === "known" ? figure.value : figure.atLeast,
    why,
  });
  const { tokens, inputTokens, outputTokens, usd } = sums;
  return {
    tokens: unsure(tokens),
    inputTokens: unsure(inputTokens),
    outputTokens: unsure(outputTokens),
    usd: unsure(usd),
  };
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
    silent[field].length === 0
      ? known(value)
      : { kind: "unknown", atLeast: value, why: `${turnsText(silent[field])} ${what}` };
  return {
    tokens: figure(inputTokens + outputTokens, "inputTokens", "without a number of tokens"),
    inputTokens: figure(inputTokens, "inputTokens", "without a number of tokens"),
    outputTokens: figure(outputTokens, "outputTokens", "without a number of tokens"),
    usd: figure(costUsd, "costUsd", "without a price"),
  };
}

/** By the clock of the runtime, from the start of the run to its end. */
function timeOf(run: RunLike): Figure {
  const [start, end] = [eventsOf(run, "run-start")[0], eventsOf(run, "run-end").at(-1)];
  if (start !== undefined && end !== undefined) return known(end.at - start.at);
  return { kind: "unknown", atLeast: 0, why: "the events of its start and end are not there" };
}

function known(value: number): Figure {
  return { kind: "known", value };
}

function turnsText(turns: readonly number[]): string {
  const shown = turns.slice(0, MAX_TURNS_NAMED).join(", ");
  const rest = turns.length - MAX_TURNS_NAMED;
  return `${turns.length === 1 ? "turn" : "turns"} ${shown}${rest > 0 ? ` and ${rest} more` : ""}`;
}
