// Several agents in one run: who is entered, with what, and on whose budget.

import { describe, expect, it } from "vitest";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import type { Plan } from "../../../src/core/runtime/plan.js";
import { agent, runtime } from "../../support/agents.js";
import { path, speaker, told } from "../../support/plans.js";
import { rejection } from "../../support/refusal.js";
import { ask, say, tool, watchedScript } from "../../support/script.js";

const line = (...ids: string[]): Plan => ({
  entry: ids[0] as string,
  edges: ids.slice(1).map((to, index) => ({ from: ids[index] as string, to })),
  exits: ids.slice(-1),
});

describe("a run along a plan", () => {
  it("PLK-01 PLK-05 runs each agent's own loop at its own provider, one after another", async () => {
    const researcher = watchedScript([ask([{ name: "read" }]), say("Facts.")]);
    const actor = watchedScript([say("Posted.")]);
    const agents = [
      agent(actor, { id: "actor", systemPrompt: "You post." }),
      agent(researcher, { id: "researcher", systemPrompt: "You read.", customTools: [tool("read", () => "text")] }),
    ];
    const result = await runtime(agents).run({ goal: "Read and post.", plan: line("researcher", "actor") });
    expect(result).toMatchObject({
      agentId: "actor",
      finalAnswer: "Posted.",
      turns: 3,
      toolCalls: 1,
      ended: { kind: "exit" },
    });
    expect(path(result)).toEqual(["researcher", "actor"]);
    expect(actor.asked.map(({ messages }) => messages)).toEqual([
      [
        { role: "system", content: "You post." },
        { role: "user", content: "Read and post.\n\nAnswer of the agent researcher:\nFacts." },
      ],
    ]);
    expect(researcher.asked[0]?.messages.at(-1)).toEqual({ role: "user", content: "Read and post." });
    expect(actor.asked[0]?.tools).toBeUndefined();
  });

  it("says the whole run in one log: one start, one end, and each edge taken between them", async () => {
    const result = await runtime([speaker("a", ["one"]), speaker("b", ["two"])]).run({
      goal: "g",
      plan: line("a", "b"),
    });
    expect(told(result)).toMatchObject([
      { seq: 0, agentId: "a", turnIndex: -1, type: "run-start", goal: "g" },
      { seq: 1, agentId: "a", turnIndex: 0, type: "turn-start" },
      { seq: 2, agentId: "a", turnIndex: 0, type: "llm-turn" },
      { seq: 3, agentId: "a", turnIndex: 0, type: "handoff", from: "a", to: "b", edge: 0 },
      { seq: 4, agentId: "b", turnIndex: 0, type: "turn-start" },
      { seq: 5, agentId: "b", turnIndex: 0, type: "llm-turn" },
      { seq: 6, agentId: "b", turnIndex: 0, type: "run-end", stop: "finished" },
    ]);
    expect(new Set(result.events.map(({ runId }) => runId))).toEqual(new Set([result.runId]));
    expect(result.runId).toMatch(/^[0-9a-f]{32}$/);
  });

  it("sums turns, calls and usage of all visits, and keeps those of each", async () => {
    const usage = { inputTokens: 10, outputTokens: 1 };
    const a = agent(
      scriptedProvider([ask([{ name: "t" }], { usage, costUsd: 0.1 }), say("a", { usage, costUsd: 0.2 })]),
      {
        id: "a",
        customTools: [tool("t", () => 1)],
      },
    );
    const result = await runtime([a, agent(scriptedProvider([say("b", { usage })]), { id: "b" })]).run({
      goal: "g",
      plan: line("a", "b"),
    });
    expect(result).toMatchObject({ turns: 3, toolCalls: 1, usage: { inputTokens: 30, outputTokens: 3, costUsd: 0.3 } });
    expect(result.visits).toMatchObject([
      {
        agentId: "a",
        finalAnswer: "a",
        turns: 2,
        toolCalls: 1,
        usage: { inputTokens: 20, outputTokens: 2, costUsd: 0.3 },
      },
      { agentId: "b", finalAnswer: "b", turns: 1, toolCalls: 0, usage: { inputTokens: 10, outputTokens: 1 } },
    ]);
    expect(result.visits[1]?.usage).not.toHaveProperty("costUsd");
    expect(result.messages).toBe(result.visits[1]?.messages);
  });

  it("hands an edge's own input over in place of the usual words", async () => {
    const b = watchedScript([say("b")]);
    const plan = {
      ...line("a", "b"),
      edges: [{ from: "a", to: "b", input: ({ answer }: { answer: string }) => `<${answer}>` }],
    };
    await runtime([speaker("a", ["x"]), agent(b, { id: "b" })]).run({ goal: "g", plan });
    expect(b.asked[0]?.messages.at(-1)).toEqual({ role: "user", content: "<x>" });
  });

  it("hands over an answer with half a surrogate pair as well-formed text", async () => {
    const b = watchedScript([say("b")]);
    const asked: string[] = [];
    const plan = {
      ...line("a", "b"),
      edges: [{ from: "a", to: "b", when: (answer: string) => asked.push(answer) > 0 }],
    };
    const result = await runtime([
      speaker("a", ["x"], { provider: { turn: async () => say("half \ud83d") } }),
      agent(b, { id: "b" }),
    ]).run({
      goal: "g",
      plan,
    });
    expect(asked).toEqual(["half \ud83d"]);
    expect(b.asked[0]?.messages.at(-1)?.content).toBe("g\n\nAnswer of the agent a:\nhalf \ufffd");
    expect(result.shared["agent:a:answer"]).toBe("half \ufffd");
  });

  it("PLK-81 ends at an exit, whose own edges are not asked", async () => {
    const plan: Plan = {
      entry: "a",
      edges: [
        { from: "a", to: "b" },
        {
          from: "b",
          to: "a",
          when: () => {
            throw new Error("asked");
          },
        },
      ],
      exits: ["b"],
    };
    const result = await runtime([speaker("a", ["1"]), speaker("b", ["2"])]).run({ goal: "g", plan });
    expect(path(result)).toEqual(["a", "b"]);
    expect(result.ended).toEqual({ kind: "exit" });
  });

  it("ends where no edge matches, and says so", async () => {
    const plan: Plan = { entry: "a", edges: [{ from: "a", to: "b", when: () => false }], exits: ["b"] };
    const result = await runtime([speaker("a", ["1"]), speaker("b", [])]).run({ goal: "g", plan });
    expect(result).toMatchObject({ agentId: "a", finalAnswer: "1", ended: { kind: "no-edge" } });
  });

  it("PLK-80 PLK-16 PLK-01 ends a run without a plan like an exit, with one visit", async () => {
    const result = await runtime([speaker("a", ["1"]), speaker("b", [])]).run({ goal: "g" });
    expect(result).toMatchObject({ ended: { kind: "exit" }, visits: [{ agentId: "a", finalAnswer: "1" }] });
  });

  it("PLK-17 refuses a plan that cannot work before anything is said or asked", async () => {
    const provider = watchedScript([say("x")]);
    const heard: unknown[] = [];
    const one = runtime([agent(provider)], { onEvent: (event) => heard.push(event) });
    const plan = { entry: "ann", edges: [{ from: "ann", to: "bob" }], exits: [] };
    expect(await rejection(one.run({ goal: "g", plan }))).toMatchObject({
      code: "invalid-options",
      hint: expect.stringContaining('"ann"') as string,
    });
    expect([provider.asked, heard]).toEqual([[], []]);
  });

  it("rejects with handoff-failed when a condition throws, and says the end of the run", async () => {
    const heard: string[] = [];
    const plan: Plan = {
      entry: "a",
      edges: [
        {
          from: "a",
          to: "b",
          when: () => {
            throw new Error("x");
          },
        },
      ],
      exits: [],
    };
    const one = runtime([speaker("a", ["1"]), speaker("b", [])], { onEvent: ({ type }) => void heard.push(type) });
    expect(await rejection(one.run({ goal: "g", plan }))).toMatchObject({ code: "handoff-failed" });
    expect(heard).toEqual(["run-start", "turn-start", "llm-turn", "run-end"]);
  });
});

describe("visits", () => {
  const loop: Plan = {
    entry: "a",
    edges: [
      { from: "a", to: "b" },
      { from: "b", to: "a" },
    ],
    exits: [],
  };
  const many = (id: string) =>
    speaker(
      id,
      Array.from({ length: 40 }, (_, index) => `${id}${index}`),
    );

  it.each([
    [undefined, 8],
    [1, 1],
    [3, 3],
  ])(
    "PLK-77 PLK-79 a cycle ends at the visit limit (%s) with the last answer, and says so",
    async (maxAgentVisits, limit) => {
      const options = maxAgentVisits === undefined ? {} : { maxAgentVisits };
      const result = await runtime([many("a"), many("b")], options).run({ goal: "g", plan: loop });
      expect(path(result)).toEqual(Array.from({ length: limit }, () => ["a", "b"]).flat());
      expect(result).toMatchObject({ finalAnswer: `b${limit - 1}`, ended: { kind: "cycle", agentId: "a", limit } });
      expect(result.budgetExhausted).toBeUndefined();
      expect(told(result, "handoff-cycle")).toMatchObject([{ agentId: "b", from: "b", to: "a", limit }]);
      expect(told(result, "handoff")).toHaveLength(2 * limit - 1);
      expect(result.events.at(-1)).toMatchObject({ type: "run-end", stop: "finished" });
    },
  );

  it.each([0, -1, 1.5, Infinity, NaN, "3"])("PLK-77 refuses a limit of %s", (maxAgentVisits) => {
    expect(() => runtime([many("a")], { maxAgentVisits: maxAgentVisits as number })).toThrow(
      `maxAgentVisits is ${maxAgentVisits}`,
    );
  });

  it("PLK-77 are counted per run", async () => {
    const one = runtime([many("a"), many("b")], { maxAgentVisits: 2 });
    for (let run = 0; run < 3; run++) expect(path(await one.run({ goal: "g", plan: loop }))).toHaveLength(4);
  });

  it("PLK-78 a diamond, walked over both sides, is not a cycle", async () => {
    const plan: Plan = {
      entry: "a",
      edges: [
        { from: "a", to: "b", when: (answer) => answer === "left" },
        { from: "a", to: "c" },
        { from: "b", to: "d" },
        { from: "c", to: "d" },
        { from: "d", to: "a", when: (answer) => answer === "again" },
      ],
      exits: [],
    };
    const agents = [
      speaker("a", ["left", "right"]),
      speaker("b", ["b"]),
      speaker("c", ["c"]),
      speaker("d", ["again", "done"]),
    ];
    const result = await runtime(agents, { maxAgentVisits: 2 }).run({ goal: "g", plan });
    expect(path(result)).toEqual(["a", "b", "d", "a", "c", "d"]);
    expect(told(result, "handoff-cycle")).toEqual([]);
    expect(result.ended).toEqual({ kind: "no-edge" });
  });

  it("each begin a fresh conversation, while turns are counted on", async () => {
    const a = watchedScript([say("a0"), say("a1")]);
    const plan: Plan = {
      ...loop,
      edges: [
        { from: "a", to: "b", when: (answer) => answer === "a0" },
        { from: "b", to: "a" },
      ],
    };
    const result = await runtime([agent(a, { id: "a" }), speaker("b", ["b0"])]).run({ goal: "g", plan });
    expect(a.asked.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
      ["You are Ann.", "g"],
      ["You are Ann.", "g\n\nAnswer of the agent b:\nb0"],
    ]);
    expect(told(result, "llm-turn")).toMatchObject([
      { agentId: "a", turnIndex: 0 },
      { agentId: "b", turnIndex: 0 },
      { agentId: "a", turnIndex: 1 },
    ]);
    expect(result.visits.map(({ turns }) => turns)).toEqual([1, 1, 1]);
  });
});

describe("a budget over visits", () => {
  const back: Plan = {
    entry: "a",
    edges: [
      { from: "a", to: "b", when: (answer) => answer !== "done" },
      { from: "b", to: "a" },
    ],
    exits: [],
  };
  const speak = (count: number) =>
    speaker(
      "b",
      Array.from({ length: count }, () => "b"),
    );

  it("PLK-74 PLK-04 goes on with what is left; an exhausted agent settles at once with its last words, and the flow goes on", async () => {
    const a = speaker("a", ["a0", "a1", "never"], { budget: { maxTurns: 2 } });
    const result = await runtime([a, speak(3)], { maxAgentVisits: 3 }).run({ goal: "g", plan: back });
    expect(result.visits.filter(({ agentId }) => agentId === "a")).toMatchObject([
      { finalAnswer: "a0", turns: 1 },
      { finalAnswer: "a1", turns: 1 },
      { finalAnswer: "a1", turns: 0, budgetExhausted: "turns", usage: { inputTokens: 0, outputTokens: 0 } },
    ]);
    expect(told(result, "budget-exhausted")).toMatchObject([{ agentId: "a", turnIndex: 2, cap: "turns", limit: 2 }]);
    expect(result).toMatchObject({ agentId: "b", ended: { kind: "cycle", agentId: "a" } });
    expect(result.budgetExhausted).toBeUndefined();
  });

  it("PLK-74 an agent that a cap on tool calls has stopped takes no further turn", async () => {
    const a = agent(scriptedProvider([ask([{ name: "t" }], { content: "Looking." })]), {
      id: "a",
      budget: { maxToolCalls: 0 },
    });
    const result = await runtime([a, speak(2)], { maxAgentVisits: 2 }).run({ goal: "g", plan: back });
    expect(result.visits.map(({ agentId, turns, finalAnswer }) => [agentId, turns, finalAnswer])).toEqual([
      ["a", 1, "Looking."],
      ["b", 1, "b"],
      ["a", 0, "Looking."],
      ["b", 1, "b"],
    ]);
    expect(told(result, "budget-exhausted")).toMatchObject([
      { cap: "toolCalls", limit: 0 },
      { cap: "toolCalls", limit: 0 },
    ]);
  });

  it("PLK-74 an agent that never may speak hands over an empty answer", async () => {
    const b = watchedScript([say("b")]);
    const plan = { ...line("a", "b") };
    const result = await runtime([speaker("a", [], { budget: { maxTurns: 0 } }), agent(b, { id: "b" })]).run({
      goal: "g",
      plan,
    });
    expect(result.visits[0]).toMatchObject({ agentId: "a", finalAnswer: "", turns: 0, budgetExhausted: "turns" });
    expect(b.asked[0]?.messages.at(-1)?.content).toBe("g\n\nAnswer of the agent a:\n");
    expect(result.events.at(-1)).toMatchObject({ type: "run-end", stop: "finished" });
  });

  it("PLK-71 a ceiling of cost holds over all visits of a run", async () => {
    const provider = scriptedProvider([
      say("1", { costUsd: 0.6 }),
      say("2", { costUsd: 0.6 }),
      say("3", { costUsd: 0.6 }),
    ]);
    const a = agent(provider, { id: "a", budget: { maxCostUsd: 1 } });
    const result = await runtime([a, speak(4)], { maxAgentVisits: 4 }).run({ goal: "g", plan: back });
    expect(result.visits.filter(({ agentId }) => agentId === "a").map(({ turns }) => turns)).toEqual([1, 1, 0, 0]);
    expect(result.usage.costUsd).toBe(1.2);
  });
});
