import { describe, expect, it } from "vitest";
import { createBudget, type BudgetLimits } from "../../../src/core/loop/budget.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { refusal } from "../../support/refusal.js";
import { say } from "../../support/script.js";

const used = (inputTokens: number, outputTokens = 0) => say("x", { usage: { inputTokens, outputTokens } });
const cost = (costUsd: number) => say("x", { costUsd });

describe("createBudget", () => {
  it("PLK-68 REL-44 gives 50 turns unless told otherwise", () => {
    const budget = createBudget();
    for (let turn = 0; turn < 50; turn++) expect(budget.takeTurn()).toBeUndefined();
    expect(budget.takeTurn()).toBe("turns");
    expect(budget).toMatchObject({ turns: 50 });
    expect(budget.limitOf("turns")).toBe(50);
  });

  it("PLK-69 gives 200 tool calls unless told otherwise", () => {
    const budget = createBudget();
    for (let call = 0; call < 200; call++) expect(budget.takeToolCall()).toBeUndefined();
    expect(budget.takeToolCall()).toBe("toolCalls");
    expect(budget).toMatchObject({ toolCalls: 200 });
    expect(budget.limitOf("toolCalls")).toBe(200);
  });

  it("PLK-70 sets no limit to tokens by default, and stops at or above one that is set", () => {
    const free = createBudget();
    free.spend(used(1e12, 1e12));
    expect(free.takeTurn()).toBeUndefined();
    expect(free.limitOf("tokens")).toBe(Infinity);

    const capped = createBudget({ maxTokens: 100 });
    capped.spend(used(60, 39));
    expect(capped.takeTurn()).toBeUndefined();
    capped.spend(used(0, 1));
    expect(capped.takeTurn()).toBe("tokens");
  });

  it("PLK-71 sets no limit to cost by default, and stops at or above one that is set", () => {
    const free = createBudget();
    free.spend(cost(1e6));
    expect(free.takeTurn()).toBeUndefined();

    const capped = createBudget({ maxCostUsd: 0.3 });
    capped.spend(cost(0.1));
    capped.spend(cost(0.1));
    expect(capped.takeTurn()).toBeUndefined();
    capped.spend(cost(0.1));
    expect(capped.takeTurn()).toBe("costUsd");
    expect(capped.limitOf("costUsd")).toBe(0.3);
  });

  it("counts money exactly, where floats would drift", () => {
    const budget = createBudget();
    for (let turn = 0; turn < 10; turn++) budget.spend(cost(0.1));
    expect(budget.usage.costUsd).toBe(1);
  });

  it("sums prices far below a micro-cent, so that turns of 4e-9 USD meet a cap of 1e-8", () => {
    const budget = createBudget({ maxCostUsd: 1e-8 });
    budget.spend(cost(4e-9));
    budget.spend(cost(4e-9));
    expect(budget.takeTurn()).toBeUndefined();
    expect(budget.usage.costUsd).toBe(8e-9);
    budget.spend(cost(4e-9));
    expect(budget.takeTurn()).toBe("costUsd");
    expect(budget.usage.costUsd).toBe(1.2e-8);
  });

  it.each([4e-9, 1e-12, 1e-30, Number.MIN_VALUE])(
    "a limit of %s USD lets the first turn through and is met by a price as small",
    (limit) => {
      const budget = createBudget({ maxCostUsd: limit });
      expect(budget.takeTurn()).toBeUndefined();
      budget.spend(cost(0));
      expect(budget.takeTurn()).toBeUndefined();
      budget.spend(cost(limit));
      expect(budget.takeTurn()).toBe("costUsd");
    },
  );

  it("counts prices as large as a number goes, and an unlimited cost never ends a run", () => {
    const [capped, free] = [createBudget({ maxCostUsd: 1e300 }), createBudget({ maxCostUsd: Infinity })];
    for (const budget of [capped, free]) for (let turn = 0; turn < 3; turn++) budget.spend(cost(Number.MAX_VALUE));
    expect(capped.takeTurn()).toBe("costUsd");
    expect(free.takeTurn()).toBeUndefined();
  });

  it("meets a cost cap exactly, where a product of floats would fall short of it", () => {
    expect(0.29 * 100_000_000).toBeLessThan(29_000_000);
    const budget = createBudget({ maxCostUsd: 0.29 });
    budget.spend(cost(0.29));
    expect(budget.takeTurn()).toBe("costUsd");
  });

  it("lets an unknown cost through: no cost is not zero cost", () => {
    const budget = createBudget({ maxCostUsd: 0.01 });
    budget.spend(say("x"));
    expect(budget.takeTurn()).toBeUndefined();
    expect(budget.usage).toEqual({ inputTokens: 0, outputTokens: 0 });
    budget.spend(cost(0));
    expect(budget.usage).toEqual({ inputTokens: 0, outputTokens: 0, costUsd: 0 });
  });

  it.each<[cap: string, limits: BudgetLimits]>([
    ["turns", { maxTurns: 0 }],
    ["tokens", { maxTokens: 0 }],
    ["costUsd", { maxCostUsd: 0 }],
  ])("takes a limit of 0 on %s as none at all", (cap, limits) => {
    expect(createBudget(limits).takeTurn()).toBe(cap);
  });

  it("takes a limit of 0 tool calls as none at all", () => {
    const budget = createBudget({ maxToolCalls: 0 });
    expect(budget.takeTurn()).toBeUndefined();
    expect(budget.takeToolCall()).toBe("toolCalls");
  });

  it.each([NaN, -5, Infinity, -Infinity])("adds nothing for a vendor's figure of %s", (figure) => {
    const budget = createBudget({ maxTokens: 10, maxCostUsd: 1 });
    budget.spend(used(9, 0));
    budget.spend({ ...used(figure, figure), costUsd: figure });
    expect(budget.usage).toEqual({ inputTokens: 9, outputTokens: 0 });
    expect(budget.takeTurn()).toBeUndefined();
  });

  it("PLK-15 takes each limit alone, and an explicit Infinity as no limit", () => {
    const limits: BudgetLimits[] = [{ maxTurns: 1 }, { maxToolCalls: 1 }, { maxTokens: 1 }, { maxCostUsd: 0.1 }];
    for (const limit of limits) expect(createBudget(limit).takeTurn()).toBeUndefined();
    expect(createBudget({ maxTurns: Infinity }).limitOf("turns")).toBe(Infinity);
  });

  describe("before a prompt is sent", () => {
    const prompt = (characters: number): LlmMessage[] => [{ role: "user", content: "x".repeat(characters) }];
    const later = (characters: number): LlmMessage[] => [
      ...prompt(40),
      { role: "assistant", content: "" },
      ...prompt(characters),
    ];

    it("begins a turn whose prompt just fits, and none that would go beyond", () => {
      expect(createBudget({ maxTokens: 10 }).takeTurn(prompt(40))).toBeUndefined();
      const budget = createBudget({ maxTokens: 10 });
      expect(budget.takeTurn(prompt(41))).toBe("tokens");
      expect(budget.turns).toBe(0);
    });

    it("adds what was spent to what the prompt will have", () => {
      const budget = createBudget({ maxTokens: 30 });
      budget.takeTurn(prompt(40));
      budget.spend(used(10, 4));
      expect(budget.takeTurn(later(12))).toBe("tokens");
      expect(budget.takeTurn(later(8))).toBeUndefined();
    });

    it("holds a prompt's estimated cost against the cap once a turn had a price", () => {
      const budget = createBudget({ maxCostUsd: 1 });
      expect(budget.takeTurn(prompt(1e6))).toBeUndefined();
      budget.spend({ ...used(10, 2), costUsd: 0.2 });
      expect(budget.takeTurn(later(4 * 69))).toBe("costUsd");
      expect(budget.takeTurn(later(4 * 68))).toBeUndefined();
    });

    it("estimates no cost of a provider that reports a price without tokens", () => {
      const budget = createBudget({ maxCostUsd: 1 });
      budget.takeTurn(prompt(4));
      budget.spend(cost(0.99));
      expect(budget.takeTurn(later(1e6))).toBeUndefined();
    });

    it("PLK-70 lets a provider that reports no usage go on for ever", () => {
      const budget = createBudget({ maxTokens: 20, maxTurns: Infinity });
      expect(budget.takeTurn(prompt(80))).toBeUndefined();
      for (let turn = 0; turn < 100; turn++) {
        budget.spend(say("x"));
        expect(budget.takeTurn(later(1e6))).toBeUndefined();
      }
    });

    it("counts a further conversation from its own beginning, against what the others spent", () => {
      const budget = createBudget({ maxTokens: 100 });
      budget.takeTurn(prompt(40));
      budget.spend(used(60, 10));
      expect(budget.takeTurn(later(0))).toBe("tokens");
      budget.beginConversation();
      expect(budget.takeTurn(prompt(124))).toBe("tokens");
      expect(budget.takeTurn(prompt(120))).toBeUndefined();
      expect(budget.usage).toEqual({ inputTokens: 60, outputTokens: 10 });
    });

    it("reads nothing of a prompt when neither tokens nor cost are capped", () => {
      const untouchable = new Proxy<LlmMessage[]>([], { get: () => expect.unreachable() });
      const budget = createBudget({ maxTurns: 3, maxToolCalls: 3 });
      expect(budget.takeTurn(untouchable)).toBeUndefined();
      budget.spend(used(1, 1));
      expect(budget.takeTurn(untouchable)).toBeUndefined();
    });
  });

  it.each<[string, unknown]>([
    ["maxTurns", -1],
    ["maxTurns", 1.5],
    ["maxTurns", NaN],
    ["maxTurns", "3"],
    ["maxToolCalls", -1],
    ["maxToolCalls", 0.5],
    ["maxTokens", -1],
    ["maxCostUsd", -0.01],
    ["maxCostUsd", NaN],
    ["maxCostUsd", "1"],
  ])("refuses %s: %j", (name, value) => {
    expect(refusal(() => createBudget({ [name]: value }))).toMatchObject({
      code: "invalid-options",
      message: `budget.${name} is ${typeof value === "string" ? `"${value}"` : String(value)}`,
    });
  });

  it("refuses a limit that there is not, which would bound nothing", () => {
    expect(refusal(() => createBudget({ maxTurn: 3 } as object))).toMatchObject({
      code: "invalid-options",
      message: "a budget has an unknown option: maxTurn",
    });
  });
});

describe("what a budget has spent", () => {
  it("is plain JSON, and a budget that begins with it goes on as the first would", () => {
    const limits: BudgetLimits = { maxTokens: 10_000, maxCostUsd: 1 };
    const first = createBudget(limits);
    const list: LlmMessage[] = [{ role: "user", content: "go" }];
    expect(first.takeTurn(list)).toBeUndefined();
    expect(first.takeToolCall()).toBeUndefined();
    first.spend(say("x", { usage: { inputTokens: 10, outputTokens: 3 }, costUsd: 0.1 }), 1);
    const spent = JSON.parse(JSON.stringify(first.spent)) as typeof first.spent;
    expect(spent).toEqual({
      ...{ turns: 1, toolCalls: 1, usage: { inputTokens: 10, outputTokens: 3, costUsd: 0.1 } },
      estimate: { known: { tokens: 13, messages: 2 }, answers: 1, reports: true, usdPerInputToken: 0.1 / 25 },
    });
    expect(createBudget(limits, "b", spent).spent).toEqual(first.spent);
  });

  it("has an estimate only where a cap needs one", () => {
    expect(createBudget({ maxTurns: 2 }).spent).toEqual({
      ...{ turns: 0, toolCalls: 0, usage: { inputTokens: 0, outputTokens: 0 } },
    });
  });

  it("counts the messages that were appended after the cap was asked", () => {
    const budget = createBudget({ maxTokens: 10_000 });
    budget.takeTurn([{ role: "user", content: "go" }]);
    budget.spend(say("x", { usage: { inputTokens: 10, outputTokens: 3 } }), 4);
    expect(budget.spent.estimate?.known).toEqual({ tokens: 13, messages: 5 });
  });

  it("loses a turn that is given back", () => {
    const budget = createBudget({ maxTurns: 1 });
    budget.takeTurn();
    budget.returnTurn();
    expect(budget.turns).toBe(0);
    expect(budget.takeTurn()).toBeUndefined();
  });
});
