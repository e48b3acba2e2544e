import { describe, expect, it } from "vitest";
import { echoProvider } from "../../../src/core/providers/echo.js";
import { createAgent, type AgentDefinition } from "../../../src/core/runtime/agent.js";
import { refusal } from "../../support/refusal.js";
import { tool } from "../../support/script.js";
import { verbBodies } from "../../support/verbs.js";

const ann: AgentDefinition = { id: "ann", systemPrompt: "You are Ann.", provider: echoProvider() };
const make = (part: object) => createAgent({ ...ann, ...part }, verbBodies());

describe("createAgent", () => {
  it("PLK-14 takes id, systemPrompt and provider, and leaves the rest to its defaults", () => {
    const agent = make({});
    expect(agent).toMatchObject({ id: "ann", systemPrompt: "You are Ann." });
    expect(agent.budget).toBeUndefined();
    expect(agent.tools.definitions).toHaveLength(7);
  });

  it("PLK-14 takes tools, customTools and budget", () => {
    const agent = make({ tools: ["probe"], customTools: [tool("mine", () => 1)], budget: { maxTurns: 3 } });
    expect(agent.tools.definitions.map(({ name }) => name)).toEqual(["probe", "mine"]);
    expect(agent.budget).toEqual({ maxTurns: 3 });
  });

  it("PLK-15 takes maxTurns, maxToolCalls, maxTokens and maxCostUsd", () => {
    const budget = { maxTurns: 1, maxToolCalls: 2, maxTokens: 3, maxCostUsd: 0.4 };
    expect(make({ budget }).budget).toEqual(budget);
  });

  it("REL-51 REL-52 takes onToolError and maxCorrections", () => {
    const options = { onToolError: "fail", maxCorrections: 3 } as const;
    expect(make(options)).toMatchObject(options);
    expect(make({ onToolError: "feedback", maxCorrections: Infinity }).maxCorrections).toBe(Infinity);
  });

  it("gives every tool and verb the agent's time limit unless the tool has its own", () => {
    const customTools = [
      tool("a", () => 1),
      tool("b", () => 1, { timeoutMs: 7 }),
      tool("c", () => 1, { timeoutMs: Infinity }),
    ];
    const limits = (part: object) => {
      const { byName } = make({ tools: ["probe"], customTools, ...part }).tools;
      return ["probe", "a", "b", "c"].map((name) => byName.get(name)?.timeoutMs);
    };
    expect(limits({})).toEqual([600_000, 600_000, 7, Infinity]);
    expect(limits({ toolTimeoutMs: 2 ** 40 })).toEqual([2 ** 40, 2 ** 40, 7, Infinity]);
  });

  it("PSS-102 PSS-103 takes policies, instances of classes among them, and keeps the list it was given", () => {
    class Counter {
      count = 0;
      call() {
        this.count += 1;
      }
    }
    const policies: object[] = [new Counter(), { result() {} }];
    const agent = make({ policies });
    policies.pop();
    expect(agent.policies).toHaveLength(2);
  });

  it.each<[string, object, string]>([
    ["no id", { id: undefined }, "no id"],
    ["an empty id", { id: "" }, "no id"],
    ["no system prompt", { systemPrompt: undefined }, "ann has no systemPrompt"],
    ["no provider", { provider: undefined }, "ann has no provider"],
    ["a provider without turn", { provider: {} }, "ann has no provider"],
    ["a misspelled option", { systemprompt: "x" }, "unknown option: systemprompt"],
    ["a misspelled limit", { budget: { maxturns: 3 } }, "the budget of agent ann has an unknown option: maxturns"],
    ["a limit that cannot be", { budget: { maxTurns: -1 } }, "budget.maxTurns is -1"],
    ["a limit that is a text", { budget: { maxCostUsd: "1" } }, 'budget.maxCostUsd is "1"'],
    ["a mode that does not exist", { onToolError: "retry" }, 'onToolError of agent ann is "retry"'],
    ["a part of a correction", { maxCorrections: 1.5 }, "maxCorrections of agent ann is 1.5"],
    ["fewer corrections than none", { maxCorrections: -1 }, "maxCorrections of agent ann is -1"],
    ["corrections that are not a number", { maxCorrections: "3" }, "maxCorrections of agent ann is 3"],
    ["corrections that are not a number", { maxCorrections: NaN }, "maxCorrections of agent ann is NaN"],
    ["an invalid time", { timeoutMs: 0 }, "timeoutMs of agent ann is 0"],
    ["a time without end", { timeoutMs: Infinity }, "timeoutMs of agent ann is Infinity"],
    ["a time that is not a number", { timeoutMs: NaN }, "timeoutMs of agent ann is NaN"],
    ["a time in words", { timeoutMs: "5s" }, 'timeoutMs of agent ann is "5s"'],
    ["a streaming that is a text", { streaming: "yes" }, 'streaming of agent ann is "yes"'],
    ["a streaming that is null", { streaming: null }, "streaming of agent ann is null"],
    ["an invalid time of a tool", { toolTimeoutMs: 0 }, "agent ann: toolTimeoutMs is 0"],
    ["a tool's time below none", { toolTimeoutMs: -5 }, "agent ann: toolTimeoutMs is -5"],
    ["a tool's time that is not a number", { toolTimeoutMs: NaN }, "agent ann: toolTimeoutMs is NaN"],
    ["a tool's time in words", { toolTimeoutMs: "5s" }, "agent ann: toolTimeoutMs is 5s"],
    ["an invalid own time of a tool", { customTools: [tool("t", () => 1, { timeoutMs: 0 })] }, "t has the timeoutMs 0"],
    ["policies that are not a list", { policies: {} }, "agent ann has policies that are not a list"],
    ["an invalid policy", { policies: [{ call() {} }, null] }, "an invalid policy at index 1"],
    ["a policy without hooks", { policies: [{ onCall() {} }] }, "an invalid policy at index 0"],
    ["a policy that is a function", { policies: [() => undefined] }, "an invalid policy at index 0"],
    ["a hook that is not a function", { policies: [{ call() {}, result: true }] }, "an invalid policy at index 0"],
    ["a verb that does not exist", { tools: ["fly"] }, '"fly"'],
    ["settings that are not JSON", { settings: { temperature: NaN } }, "/temperature"],
  ])("refuses %s, and says which", (_name, part, text) => {
    const error = refusal(() => make(part)) as Error & { hint: string };
    expect(error.message).toContain(text);
    expect(error.hint).toBeTruthy();
  });

  it("keeps settings and budget as they were when it was made", () => {
    const settings = { stop: ["a"] };
    const budget = { maxTurns: 3 };
    const agent = make({ settings, budget });
    settings.stop.push("b");
    budget.maxTurns = -1;
    expect(agent.settings).toEqual({ stop: ["a"] });
    expect(agent.budget).toEqual({ maxTurns: 3 });
  });
});
