import { describe, expect, it } from "vitest";
import { askedModelOf, countedTurns, derivedCostOf, sumUsage } from "../../../src/cassette/count/usage-sum.js";
import type { LlmTurnResponse } from "../../../src/core/index.js";
import { runOf } from "../diff/runs.js";

const usage = { inputTokens: 1_000_000, outputTokens: 100_000 };
const answer = (rest: Partial<LlmTurnResponse>): LlmTurnResponse => ({
  message: { role: "assistant", content: "" },
  stopReason: "stop",
  ...rest,
});

describe("a cost derived from model and tokens", () => {
  it("is that of the list prices, and is marked", () => {
    // 2.5 USD and 10 USD for a million tokens.
    expect(derivedCostOf({ usage, model: "gpt-4o" })).toBe(3.5);
    const sum = sumUsage([answer({ usage, model: "gpt-4o-2024-11-20" }), answer({ usage, costUsd: 1 })]);
    expect(sum).toMatchObject({ costUsd: 4.5, turnsWithDerivedCost: 1, turnsWithoutCost: 0 });
    expect(sumUsage([answer({ usage, costUsd: 1 })])).not.toHaveProperty("turnsWithDerivedCost");
  });

  it("never replaces a cost that was recorded", () => {
    expect(derivedCostOf({ usage, model: "gpt-4o", costUsd: 0 })).toBeUndefined();
    expect(sumUsage([answer({ usage, model: "gpt-4o", costUsd: 0 })])).toMatchObject({
      costUsd: 0,
      turnsWithoutCost: 0,
    });
  });

  it.each([
    ["no list has the model", { usage, model: "orbit-1" }],
    ["the model is not named", { usage }],
    ["the tokens are not known", { model: "gpt-4o" }],
    ["a count is invalid", { model: "gpt-4o", usage: { inputTokens: 1.5, outputTokens: 1 } }],
  ])("is unknown and not zero where %s", (_why, turn) => {
    expect(derivedCostOf(turn)).toBeUndefined();
    expect(sumUsage([answer(turn)])).not.toHaveProperty("costUsd");
    expect(sumUsage([answer(turn)]).turnsWithoutCost).toBe(1);
  });

  it("takes the model that was asked for where no answer names one", () => {
    const asked = (recordedProvider: string) => runOf([{ say: "a" }], recordedProvider);
    expect(countedTurns(asked("openai:gpt-4o"))[0]?.model).toBe("gpt-4o");
    expect(countedTurns(asked("ollama:qwen3:4b"))[0]?.model).toBe("qwen3:4b");
    expect(countedTurns(asked("langchain:openai:gpt-4o"))[0]?.model).toBe("gpt-4o");
    expect(countedTurns(asked("langchain:fake-list"))[0]).not.toHaveProperty("model");
    expect(countedTurns(asked("openai:gpt-4o + cohere:command-a-03-2025"))[0]).not.toHaveProperty("model");
    expect(countedTurns(asked("scripted"))[0]).not.toHaveProperty("model");
    const imported = { ...asked("import:agentdojo:gpt-4o"), extensions: { import: { model: "gpt-4o" } } };
    expect(askedModelOf(imported)).toBe("gpt-4o");
  });
});
