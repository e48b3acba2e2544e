import { describe, expect, it } from "vitest";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { createStatsCounter, cassetteFigures } from "../../../src/cassette/count/stats.js";
import { sumUsage } from "../../../src/cassette/count/usage-sum.js";
import { MAX_COUNTED_NAMES } from "../../../src/cassette/limits.js";
import type { LlmTurnResponse } from "../../../src/core/index.js";
import { call, runOf, stepsOf } from "../diff/runs.js";

const answer = (rest: Partial<LlmTurnResponse>): LlmTurnResponse => ({
  message: { role: "assistant", content: "" },
  stopReason: "stop",
  ...rest,
});

describe("sumUsage", () => {
  it("sums prices exactly", () => {
    expect(sumUsage([answer({ costUsd: 0.1 }), answer({ costUsd: 0.2 })]).costUsd).toBe(0.3);
  });

  it("has no price where no turn has one, and zero where they were free", () => {
    expect(sumUsage([answer({})])).not.toHaveProperty("costUsd");
    expect(sumUsage([answer({ costUsd: 0 })]).costUsd).toBe(0);
  });

  it.each([-1, Number.NaN, Infinity])("takes the figure %d for none", (figure) => {
    const usage = { inputTokens: figure, outputTokens: 1 };
    expect(sumUsage([answer({ costUsd: figure, usage })])).toEqual({
      turns: 1,
      inputTokens: 0,
      outputTokens: 0,
      turnsWithoutTokens: 1,
      turnsWithoutCost: 1,
    });
  });
});

describe("createStatsCounter", () => {
  it("counts names up to its limit apart, and the others together", () => {
    const counter = createStatsCounter();
    const names = Array.from({ length: MAX_COUNTED_NAMES + 3 }, (_, index) => `t${index}`);
    counter.add("a", 1, cassetteFigures(stepsOf(...names.map((name) => call(name)), call("t0"))));
    const { tools, toolCalls } = counter.total();
    expect([tools.names.length, tools.others, toolCalls]).toEqual([MAX_COUNTED_NAMES, 3, MAX_COUNTED_NAMES + 4]);
    expect(tools.names[0]).toEqual({ name: "t0", count: 2, cassettes: 1 });
  });

  it("finds the oldest and newest moment however it is spelled, and skips invalid ones", () => {
    const counter = createStatsCounter();
    for (const recordedAt of ["2026-01-02T00:00:00+05:00", "2026-01-01T20:00:00Z", "soon"]) {
      counter.add(recordedAt, 1, cassetteFigures({ ...runOf([{ say: "a" }]), recordedAt }));
    }
    expect(counter.total()).toMatchObject({ oldest: "2026-01-02T00:00:00+05:00", newest: "2026-01-01T20:00:00Z" });
  });

  it("keeps the five largest files and counts marks", () => {
    const counter = createStatsCounter();
    const signature = {} as NonNullable<CassetteV2["signature"]>;
    for (let bytes = 1; bytes <= 7; bytes++) {
      const extensions = { filtered: true as const, redacted: ["r"] };
      counter.add(`f${bytes}`, bytes, cassetteFigures({ ...runOf([]), signature, extensions }));
    }
    const { largest, ...total } = counter.total();
    expect(largest.map(({ file }) => file)).toEqual(["f7", "f6", "f5", "f4", "f3"]);
    expect(total).toMatchObject({ bytes: 28, signed: 7, filtered: 7, redacted: 7, withoutPrompts: 0 });
  });
});
