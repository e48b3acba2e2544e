import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBudget, type Budget, type BudgetLimits } from "../../../src/core/loop/budget.js";
import { budgetLimits } from "../../../src/harness/arbitraries/index.js";
import { checkBudget, LawBrokenError } from "../../../src/harness/properties/index.js";
import { rejection } from "../../support/refusal.js";

/** A budget with some of its parts replaced. */
const like = (limits: BudgetLimits, change: (budget: Budget) => Partial<Budget>) => () => {
  const budget = createBudget(limits);
  return Object.create(budget, Object.getOwnPropertyDescriptors(change(budget))) as Budget;
};

const law = async (make: () => Budget) => {
  const error = await rejection(checkBudget(make, { seed: 5 }));
  expect(error).toBeInstanceOf(LawBrokenError);
  return (error as LawBrokenError).law;
};

describe("checkBudget", () => {
  it("passes our budgets under any limits, in whole runs as well", async () => {
    await fc.assert(
      fc.asyncProperty(budgetLimits(), async (limits) => {
        expect((await checkBudget(limits, { numRuns: 20 })).runs).toBe(20);
      }),
      { numRuns: 15 },
    );
  });

  it.each([
    ["turns", { maxTurns: 40 }],
    ["toolCalls", { maxToolCalls: 100 }],
    ["tokens", { maxTokens: 30_000 }],
    ["costUsd", { maxCostUsd: 250 }],
  ] as const)("draws turns that meet a cap of %s, and some that do not", async (cap, limits) => {
    const { ended, finished } = await checkBudget(limits, { seed: 1 });
    expect(ended[cap]).toBeGreaterThan(10);
    expect(finished).toBeGreaterThan(0);
  });

  it.each<[string, () => Budget, string]>([
    [
      "grants a turn too many",
      like({}, (own) => ({
        takeTurn: () => own.takeTurn(),
        limitOf: (cap) => (cap === "turns" ? 3 : own.limitOf(cap)),
      })),
      "turns never exceed their cap",
    ],
    [
      "forgets what was spent",
      like({ maxTokens: 50 }, () => ({ spend: () => undefined })),
      "what was counted is what was taken and spent",
    ],
    [
      "ends too late",
      like({}, (own) => ({ limitOf: (cap) => (cap === "tokens" ? 10 : own.limitOf(cap)) })),
      "tokens and cost exceed their caps by at most one turn",
    ],
    [
      "never counts tool calls",
      like({}, () => ({ takeToolCall: () => undefined })),
      "what was counted is what was taken and spent",
    ],
    [
      "refuses tool calls for nothing",
      like({}, () => ({ takeToolCall: () => "toolCalls" })),
      "a cap forbids nothing before it is reached",
    ],
  ])("finds one that %s", async (_name, make, expected) => {
    expect(await law(make)).toBe(expected);
  });

  it("finds one that changes its mind", async () => {
    const fickle = like({ maxTurns: 2 }, (own) => {
      let asked = 0;
      return { takeTurn: () => (own.turns === 2 && (asked += 1) > 1 ? undefined : own.takeTurn()) };
    });
    expect(await law(fickle)).toBe("a cap that forbids keeps forbidding");
  });

  it("refuses invalid limits and unknown options", async () => {
    expect(await rejection(checkBudget({ maxTurns: -1 }))).toMatchObject({ code: "invalid-options" });
    expect(await rejection(checkBudget({}, { runs: 1 } as never))).toMatchObject({ code: "invalid-options" });
  });
});
