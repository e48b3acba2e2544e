import { describe, expect, it } from "vitest";
import type { BudgetLimits } from "../../../src/core/loop/budget.js";
import type { ScriptStep } from "../../../src/core/providers/scripted.js";
import { playLoop, toolResults } from "../../support/loop.js";
import { ask, say, tool, watchedScript } from "../../support/script.js";

const echo = tool("echo", (args) => args);
const looping = (count: number, extra: Parameters<typeof ask>[1] = {}): ScriptStep[] =>
  Array.from({ length: count }, () => ask([{ name: "echo" }], extra));

describe("the loop", () => {
  it("goes on until the model asks for no tool", async () => {
    const { stop, events } = await playLoop({ steps: [...looping(3), say("done")], tools: [echo] });
    expect(stop).toEqual({ kind: "finished", finalAnswer: "done" });
    expect(events.filter(({ type }) => type === "turn-start").map(({ turn }) => turn)).toEqual([0, 1, 2, 3]);
  });

  it("emits each turn's events in order", async () => {
    const { events } = await playLoop({ steps: [ask([{ name: "echo" }, { name: "gone" }]), say("x")], tools: [echo] });
    expect(events.map(({ turn, type }) => `${turn} ${type}`)).toEqual([
      "0 turn-start",
      "0 llm-turn",
      "0 tool-call",
      "0 tool-call",
      "0 tool-result",
      "0 tool-rejected",
      "1 turn-start",
      "1 llm-turn",
    ]);
  });

  it.each<[cap: string, limits: BudgetLimits, limit: number, turns: number]>([
    ["turns", { maxTurns: 2 }, 2, 2],
    ["toolCalls", { maxToolCalls: 1 }, 1, 2],
    ["tokens", { maxTokens: 25 }, 25, 2],
    ["costUsd", { maxCostUsd: 0.02 }, 0.02, 2],
  ])("PLK-72 stops with the cap that was reached: %s", async (cap, limits, limit, turns) => {
    const steps = looping(9, { usage: { inputTokens: 5, outputTokens: 5 }, costUsd: 0.01 });
    const { stop, error, events } = await playLoop({ steps, tools: [echo], limits });
    expect(error).toBeUndefined();
    expect(stop).toEqual({ kind: "budget", cap });
    expect(events.filter(({ type }) => type === "llm-turn")).toHaveLength(turns);
    expect(events.filter(({ type }) => type === "budget-exhausted")).toEqual([
      { turn: expect.any(Number) as number, type: "budget-exhausted", cap, limit },
    ]);
  });

  it("PLK-73 says that a budget is exhausted as the last event, once", async () => {
    const { events } = await playLoop({ steps: looping(5), tools: [echo], limits: { maxTurns: 2 } });
    expect(events.at(-1)).toEqual({ turn: 2, type: "budget-exhausted", cap: "turns", limit: 2 });
    expect(events.filter(({ type }) => type === "budget-exhausted")).toHaveLength(1);
  });

  it("PLK-69 does not run the call that would cross the cap, and runs the ones before it", async () => {
    const ran: unknown[] = [];
    const count = tool("count", ({ n }) => ran.push(n));
    const batch = ask([1, 2, 3].map((n) => ({ name: "count", arguments: { n } })));
    const { stop, history } = await playLoop({ steps: [batch], tools: [count], limits: { maxToolCalls: 2 } });
    expect(ran).toEqual([1, 2]);
    expect(stop).toEqual({ kind: "budget", cap: "toolCalls" });
    expect(toolResults(history)).toEqual(["c0: 1", "c1: 2"]);
  });

  it("counts calls of tools that do not exist, so that a confused model cannot go on for ever", async () => {
    const steps = Array.from({ length: 9 }, () => ask([{ name: "nowhere" }]));
    const { stop } = await playLoop({ steps, limits: { maxToolCalls: 3 } });
    expect(stop).toEqual({ kind: "budget", cap: "toolCalls" });
  });

  it("PLK-70 lets a model finish with the answer that crosses the token cap", async () => {
    const steps = [say("done", { usage: { inputTokens: 500, outputTokens: 500 } })];
    const { stop } = await playLoop({ steps, limits: { maxTokens: 10 } });
    expect(stop).toEqual({ kind: "finished", finalAnswer: "done" });
  });

  it("asks nobody when the budget allows no turn", async () => {
    const provider = watchedScript([say("x")]);
    const { stop, events } = await playLoop({ provider, limits: { maxTurns: 0 } });
    expect(stop).toEqual({ kind: "budget", cap: "turns" });
    expect(provider.asked).toEqual([]);
    expect(events).toEqual([{ turn: 0, type: "budget-exhausted", cap: "turns", limit: 0 }]);
  });

  it("shows the provider one list that grows, and never changes a message in it", async () => {
    const provider = watchedScript([...looping(3), say("x")]);
    await playLoop({ provider, tools: [echo] });
    const { asked } = provider;
    for (let turn = 1; turn < asked.length; turn++) {
      const before = asked[turn - 1]?.messages ?? [];
      const now = asked[turn]?.messages ?? [];
      expect(before.every((message, index) => message === now[index])).toBe(true);
      expect(now.length).toBe(before.length + 2);
    }
  });
});
