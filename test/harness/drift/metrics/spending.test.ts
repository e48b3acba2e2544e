import { describe, expect, it } from "vitest";
import { createTurnPricer } from "../../../../src/cassette/count/usage-sum.js";
import type { CassetteV2 } from "../../../../src/cassette/file/format.js";
import { resealCassette } from "../../../../src/cassette/prompt/reseal.js";
import { spendingOf, wholeAmounts } from "../../../../src/harness/drift/metrics/spending.js";
import type { LlmTurnResponse } from "../../../../src/core/model/provider.js";
import { runOf } from "../../../cassette/diff/runs.js";

const price = createTurnPricer();

/** A recording of turns that say "Hello." with these figures. */
function spent(turns: readonly Partial<LlmTurnResponse>[], streams?: unknown): CassetteV2 {
  const run = runOf(
    turns.map(() => ({ say: "Hello." })),
    "openai:gpt-4o",
  );
  const entries = run.entries.map((entry, index) => ({ ...entry, response: { ...entry.response, ...turns[index] } }));
  const extensions = (streams === undefined ? {} : { streams }) as NonNullable<CassetteV2["extensions"]>;
  return resealCassette({ ...run, extensions }, entries);
}

const usage = { inputTokens: 1_000_000, outputTokens: 100_000 };

describe("what a run took", () => {
  it("is its cost, its tokens by kind, and the time of its answers", () => {
    const cached = { ...usage, cacheReadTokens: 400_000, cacheWriteTokens: 1_000 };
    const streams = [
      { turn: 0, deltas: "t6+20", end: 5 },
      { turn: 1, deltas: "t3+200 t3+40", end: 0 },
    ];
    const found = spendingOf(spent([{ usage: cached }, { usage, costUsd: 1 }], streams), price);
    expect(found).toEqual({
      // 0.6 at 2.5, 0.4 at 1.25 and 0.1 at 10 USD.
      cost: { value: 4, unknown: 0 },
      tokens: {
        value: 2_200_000,
        unknown: 0,
        input: 2_000_000,
        output: 200_000,
        cacheRead: 400_000,
        cacheWrite: 1_000,
      },
      latency: { value: 265, unknown: 0 },
      unpriced: [],
    });
    expect(wholeAmounts(found)).toEqual({
      costUsd: 4,
      inputTokens: 2_000_000,
      outputTokens: 200_000,
      cacheReadTokens: 400_000,
      cacheWriteTokens: 1_000,
      latencyMs: 265,
    });
  });

  it("is unknown where one turn does not say it, and the known part is kept", () => {
    const streams = [{ turn: 0, deltas: "t6+20", end: 5 }];
    const found = spendingOf(spent([{ usage }, { usage, model: "orbit-1" }, {}], streams), price);
    expect(found).toMatchObject({
      cost: { value: 3.5, unknown: 2 },
      tokens: { value: 2_200_000, unknown: 1 },
      latency: { value: 25, unknown: 2 },
      unpriced: ["orbit-1"],
    });
    expect(wholeAmounts(found)).toEqual({});
  });

  it.each([
    ["without streams", undefined],
    ["without times", [{ turn: 0, deltas: "t6" }]],
    ["with times of another answer", [{ turn: 0, deltas: "t99+20", end: 5 }]],
    ["that cannot be read", [{ turn: 7, deltas: 1, end: 5 }]],
  ])("has no latency in a recording %s", (_which, streams) => {
    expect(spendingOf(spent([{ usage }], streams), price).latency).toEqual({ value: 0, unknown: 1 });
  });

  it("is priced by a price file", () => {
    const own = createTurnPricer({ "orbit-1": { input: 1, output: 1 } });
    expect(spendingOf(spent([{ usage, model: "orbit-1" }]), own)).toMatchObject({
      cost: { value: 1.1, unknown: 0 },
      unpriced: [],
    });
  });
});
