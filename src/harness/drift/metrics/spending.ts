// What one run took: cost, tokens and time, as far as its turns say it.

import {
  answerTimes,
  countedTurns,
  createUsageCounter,
  unpricedModelOf,
  type Cassette,
  type TurnPricer,
} from "../../../cassette/index.js";
import { defined } from "../../../core/index.js";

/** A sum over the turns of a run. `unknown` counts the turns that it leaves out. */
export interface RunAmount {
  value: number;
  unknown: number;
}

export interface RunSpending {
  cost: RunAmount;
  tokens: RunAmount & TokenKinds;
  /** Milliseconds that the model took to answer. */
  latency: RunAmount;
  /** Models without a price. */
  unpriced: string[];
}

/** The tokens of a run by kind. Cached tokens are part of `input`, and absent if the recording has none. */
export interface TokenKinds {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

export function spendingOf(cassette: Cassette, price: TurnPricer): RunSpending {
  const turns = countedTurns(cassette);
  const counter = createUsageCounter(price);
  for (const turn of turns) counter.add(turn);
  const usage = counter.total();
  const { inputTokens: input, outputTokens: output, cacheReadTokens, cacheWriteTokens } = usage;
  const times = answerTimes(cassette);
  return {
    cost: { value: usage.costUsd ?? 0, unknown: usage.turnsWithoutCost },
    tokens: {
      value: input + output,
      unknown: usage.turnsWithoutTokens,
      input,
      output,
      ...defined({ cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens }),
    },
    latency: {
      value: times.reduce<number>((sum, time) => sum + (time ?? 0), 0),
      unknown: times.filter((time) => time === undefined).length,
    },
    unpriced: [...new Set(turns.flatMap((turn) => unpricedModelOf(turn, price) ?? []))],
  };
}

/** The amounts that are known as a whole, as a report names them for one run. */
export function wholeAmounts({ cost, tokens, latency }: RunSpending): WholeAmounts {
  const { input, output, cacheRead, cacheWrite } = tokens;
  return {
    ...(cost.unknown > 0 ? {} : { costUsd: cost.value }),
    ...(tokens.unknown > 0
      ? {}
      : {
          inputTokens: input,
          outputTokens: output,
          ...defined({ cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite }),
        }),
    ...(latency.unknown > 0 ? {} : { latencyMs: latency.value }),
  };
}

export interface WholeAmounts {
  costUsd?: number;
  inputTokens?: number;
  outputTokens?: number;
  /** Part of `inputTokens`. Absent if the recording has none. */
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  /** How long the model took to answer. */
  latencyMs?: number;
}
