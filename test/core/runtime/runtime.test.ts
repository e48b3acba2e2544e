import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/core/events/event.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import type { AgentDefinition } from "../../../src/core/runtime/agent.js";
import { createRuntime, type RuntimeOptions } from "../../../src/core/runtime/runtime.js";
import { agent, runtime } from "../../support/agents.js";
import { gate } from "../../support/loop.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ask, quietPorts, say, tool, watchedScript } from "../../support/script.js";
import { verbBodies } from "../../support/verbs.js";

describe("createRuntime", () => {
  it.each<[string, object]>([
    ["no agents", { agents: [] }],
    ["agents that are not a list", { agents: {} }],
    ["an agent that is null", { agents: [null] }],
    ["an agent that is undefined", { agents: [agent(scriptedProvider([])), undefined] }],
    ["an option nobody reads", { agents: [agent(scriptedProvider([]))], maxAgentVisit: 3 }],
    ["two agents of one id", { agents: [agent(scriptedProvider([])), agent(scriptedProvider([]))] }],
  ])("refuses %s", (_name, options) => {
    expect(refusal(() => createRuntime(options as RuntimeOptions))).toMatchObject({ code: "invalid-options" });
  });

  it("PLK-45 PLK-51 PLK-52 PLK-53 finds a manifest that cannot work before the first turn, in any agent", () => {
    const good = agent(scriptedProvider([]));
    const bad: Partial<AgentDefinition>[] = [
      { tools: ["fly"] },
      { customTools: [tool("no spaces", () => 1)] },
      { customTools: [tool("act", () => 1)] },
      { customTools: [tool("x", () => 1), tool("x", () => 2)] },
    ];
    for (const part of bad) {
      const second = agent(scriptedProvider([]), { id: "bob", ...part });
      expect(refusal(() => runtime([good, second], { verbs: verbBodies() }))).toMatchObject({
        code: "invalid-options",
        message: expect.stringContaining("agent bob") as string,
      });
    }
  });
});

describe("run", () => {
  it("PLK-16 resolves to a result that carries the final answer", async () => {
    const script = scriptedProvider([ask([{ name: "t" }], { content: "Looking." }), say("42")]);
    const result = runtime([agent(script, { customTools: [tool("t", () => 1)] })]).run({ goal: "What is it?" });
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toMatchObject({ agentId: "ann", finalAnswer: "42", turns: 2, toolCalls: 1 });
    script.assertConsumed();
  });

  it("begins with the system prompt and the goal, word for word", async () => {
    const provider = watchedScript([say("x")]);
    const { messages } = await runtime([agent(provider)]).run({ goal: "  the goal\n" });
    expect(messages).toEqual([
      { role: "system", content: "You are Ann." },
      { role: "user", content: "  the goal\n" },
      { role: "assistant", content: "x" },
    ]);
    expect(provider.asked[0]?.messages).toEqual(messages.slice(0, 2));
  });

  it("PLK-80 without a plan runs the first agent alone", async () => {
    const [ann, bob] = [watchedScript([say("ann")]), watchedScript([say("bob")])];
    const result = await runtime([agent(ann), agent(bob, { id: "bob" })]).run({ goal: "g" });
    expect(result.finalAnswer).toBe("ann");
    expect(bob.asked).toEqual([]);
  });

  it("PLK-02 PLK-03 PLK-04 gives each agent its own provider, tools and budget", async () => {
    const make = () => {
      const provider = watchedScript([ask([{ name: "only_ann" }]), ask([{ name: "only_ann" }]), say("ann")]);
      const other = watchedScript([ask([{ name: "only_ann" }]), ask([{ name: "only_bob" }]), say("bob")]);
      const tools = { ann: tool("only_ann", () => "a"), bob: tool("only_bob", () => "b") };
      return {
        provider,
        other,
        ann: agent(provider, { customTools: [tools.ann], budget: { maxTurns: 2 } }),
        bob: agent(other, { id: "bob", customTools: [tools.bob] }),
      };
    };
    const first = make();
    const asAnn = await runtime([first.ann, first.bob]).run({ goal: "g" });
    expect(asAnn).toMatchObject({ agentId: "ann", budgetExhausted: "turns", turns: 2 });
    expect(first.provider.asked[0]?.tools?.map(({ name }) => name)).toEqual(["only_ann"]);
    expect(first.other.asked).toEqual([]);

    const second = make();
    const asBob = await runtime([second.bob, second.ann]).run({ goal: "g" });
    expect(asBob).toMatchObject({ agentId: "bob", finalAnswer: "bob", turns: 3 });
    expect(asBob.budgetExhausted).toBeUndefined();
    expect(second.other.asked[0]?.tools?.map(({ name }) => name)).toEqual(["only_bob"]);
    const contents = asBob.messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));
    expect(contents).toEqual(["tool unavailable", "b"]);
  });

  it("PLK-04 counts a budget per run, not over the runtime's life", async () => {
    const script = scriptedProvider([say("one"), say("two")]);
    const both = runtime([agent(script, { budget: { maxTurns: 1 } })]);
    expect((await both.run({ goal: "g" })).finalAnswer).toBe("one");
    expect((await both.run({ goal: "g" })).finalAnswer).toBe("two");
  });

  it("PLK-11 keeps runs of two runtimes, and of one, apart", async () => {
    const make = (name: string) => {
      const wait = gate();
      const custom = tool("wait", async () => {
        await wait.opened;
        return name;
      });
      const provider = { turn: scriptedProvider([ask([{ name: "wait" }]), say(name)]).turn };
      return { wait, runtime: runtime([agent(provider, { id: name, customTools: [custom] })]) };
    };
    const [one, two] = [make("one"), make("two")];
    const runs = [one.runtime.run({ goal: "1" }), two.runtime.run({ goal: "2" })];
    two.wait.open();
    const second = await runs[1];
    await one.runtime.destroy().then(() => one.wait.open());
    expect(second).toMatchObject({ agentId: "two", finalAnswer: "two" });
    expect(second?.events.every(({ agentId }) => agentId === "two")).toBe(true);
    expect(await rejection(runs[0] as Promise<unknown>)).toMatchObject({ code: "aborted" });
    expect(await rejection(one.runtime.run({ goal: "again" }))).toMatchObject({ code: "aborted" });
  });

  it.each([
    ["turns", { maxTurns: 1 }],
    ["toolCalls", { maxToolCalls: 1 }],
    ["tokens", { maxTokens: 100 }],
    ["costUsd", { maxCostUsd: 0.01 }],
  ])("PLK-72 PLK-73 PLK-74 ends normally when the cap on %s is reached, and says which", async (cap, budget) => {
    const usage = { inputTokens: 97, outputTokens: 3 };
    const step = ask([{ name: "t" }, { name: "t" }], { content: "Thinking.", usage, costUsd: 0.01 });
    const provider = scriptedProvider([step, step, step]);
    const result = await runtime([agent(provider, { budget, customTools: [tool("t", () => 1)] })]).run({ goal: "g" });
    expect(result).toMatchObject({ budgetExhausted: cap, finalAnswer: "Thinking.", turns: 1 });
    expect(result.events.filter(({ type }) => type === "budget-exhausted")).toHaveLength(1);
    expect(result.events.at(-1)).toMatchObject({ type: "run-end", stop: "budget" });
  });

  it("PLK-14 PLK-15 runs an agent by its own prompt, provider, tools and budget", async () => {
    const asks = ask([{ name: "probe" }, { name: "mine" }]);
    const [ann, bob] = [watchedScript([asks, asks, asks]), watchedScript([asks, asks, asks])];
    const one = runtime(
      [
        agent(ann, { systemPrompt: "You are Ann.", tools: ["probe"], customTools: [], budget: { maxTurns: 2 } }),
        agent(bob, {
          id: "bob",
          systemPrompt: "Be Bob.",
          tools: [],
          customTools: [tool("mine", () => 1)],
          budget: { maxToolCalls: 1 },
        }),
      ],
      { verbs: verbBodies() },
    );
    const plan = { entry: "ann", edges: [{ from: "ann", to: "bob" }], exits: ["bob"] };
    const { visits } = await one.run({ goal: "g", plan });
    const seen = [ann, bob].map(({ asked }) => [
      asked[0]?.messages[0]?.content,
      asked[0]?.tools?.map(({ name }) => name),
      asked.length,
    ]);
    expect(seen).toEqual([
      ["You are Ann.", ["probe"], 2],
      ["Be Bob.", ["mine"], 1],
    ]);
    expect(visits.map(({ budgetExhausted }) => budgetExhausted)).toEqual(["turns", "toolCalls"]);
  });

  it("PLK-39 PLK-71 warns once that a cost cap stops nothing where a provider reports no cost", async () => {
    const ports = quietPorts();
    const capped = (costUsd?: number) => ({
      ...agent(scriptedProvider([say("1", costUsd === undefined ? {} : { costUsd }), say("2"), say("3")])),
      budget: { maxCostUsd: 1 },
    });
    const inert = runtime([capped()], { ports });
    for (let run = 0; run < 2; run++) await inert.run({ goal: "g" });
    expect(ports.warnings).toEqual([
      "playhead: agent ann has a maxCostUsd of 1, but its provider reported no cost, so this cap stops nothing; " +
        "pass pricing to the provider, or set maxTokens",
    ]);
    await runtime([capped(0)], { ports }).run({ goal: "g" });
    await runtime([agent(scriptedProvider([say("1")]))], { ports }).run({ goal: "g" });
    expect(ports.warnings).toHaveLength(1);
  });

  it("has no last words when a cap ends it before the model said any", async () => {
    const provider = scriptedProvider([ask([{ name: "gone" }])]);
    const result = await runtime([agent(provider, { budget: { maxTurns: 1 } })]).run({ goal: "g" });
    expect(result).toMatchObject({ finalAnswer: "", budgetExhausted: "turns" });
  });

  it("sums usage, and has no cost when no turn reported one", async () => {
    const usage = { inputTokens: 10, outputTokens: 1 };
    const steps = [ask([{ name: "x" }], { usage, costUsd: 0.1 }), say("x", { usage, costUsd: 0.2 })];
    const priced = await runtime([agent(scriptedProvider(steps))]).run({ goal: "g" });
    expect(priced.usage).toEqual({ inputTokens: 20, outputTokens: 2, costUsd: 0.3 });
    const free = await runtime([agent(scriptedProvider([say("x", { usage })]))]).run({ goal: "g" });
    expect(free.usage).toEqual({ inputTokens: 10, outputTokens: 1 });
  });

  it("tells its listener every event of the result, stamped by the given clock", async () => {
    const heard: AgentEvent[] = [];
    const options = { onEvent: (event: AgentEvent) => void heard.push(event) };
    const { events, droppedEvents } = await runtime([agent(scriptedProvider([say("x")]))], options).run({ goal: "g" });
    expect(heard).toEqual(events);
    expect(droppedEvents).toBe(0);
    expect(events.map(({ seq, at, turnIndex, type }) => [seq, at, turnIndex, type])).toEqual([
      [0, 1_000, -1, "run-start"],
      [1, 1_001, 0, "turn-start"],
      [2, 1_002, 0, "llm-turn"],
      [3, 1_003, 0, "run-end"],
    ]);
  });

  it("is not disturbed by a listener that throws", async () => {
    const ports = quietPorts();
    const onEvent = () => {
      throw new Error("boom");
    };
    const result = await runtime([agent(scriptedProvider([say("x")]))], { ports, onEvent }).run({ goal: "g" });
    expect(result.finalAnswer).toBe("x");
    expect(ports.warnings).toHaveLength(result.events.length);
  });

  it("rejects with what the provider threw, unchanged, and logs the end of the run", async () => {
    const heard: AgentEvent[] = [];
    const thrown = new Error("vendor is down");
    const provider = { turn: () => Promise.reject(thrown) };
    const failing = runtime([agent(provider)], { onEvent: (event) => void heard.push(event) });
    expect(await rejection(failing.run({ goal: "g" }))).toBe(thrown);
    expect(heard.map(({ type }) => type)).toEqual(["run-start", "turn-start", "llm-error", "run-end"]);
    expect(heard.at(-1)).toMatchObject({ stop: "failed" });
  });

  it.each<[string, object]>([
    ["no goal", {}],
    ["a goal that is not text", { goal: 1 }],
    ["an option nobody reads", { goal: "g", singal: null }],
  ])("refuses %s", async (_name, options) => {
    const one = runtime([agent(scriptedProvider([say("x")]))]);
    expect(await rejection(one.run(options as { goal: string }))).toMatchObject({ code: "invalid-options" });
  });

  it("hands settings and timeout of the agent to its provider", async () => {
    const seen: unknown[] = [];
    const provider = scriptedProvider([
      ({ settings, timeoutMs }) => {
        seen.push(settings, timeoutMs);
        return say("x");
      },
    ]);
    await runtime([agent(provider, { settings: { temperature: 0 }, timeoutMs: 30_000 })]).run({ goal: "g" });
    expect(seen).toEqual([{ temperature: 0 }, 30_000]);
  });
});

describe("destroy", () => {
  const destroyable = (destroy: () => Promise<void> | void) => ({ ...scriptedProvider([say("x")]), destroy });

  it("PLK-42 PLK-97 calls destroy of each provider once, one that two agents share as well", async () => {
    const destroyed: string[] = [];
    const shared = destroyable(() => void destroyed.push("shared"));
    const own = destroyable(async () => void destroyed.push("own"));
    const without = scriptedProvider([]);
    const agents = [shared, shared, own, without].map((provider, index) => agent(provider, { id: `a${index}` }));
    const one = runtime(agents);
    await one.destroy();
    await one.destroy();
    expect(destroyed).toEqual(["shared", "own"]);
  });

  it.each<[string, () => Promise<void> | void, string]>([
    [
      "throws",
      () => {
        throw new Error("still busy");
      },
      "still busy",
    ],
    ["rejects", () => Promise.reject(new Error("too late")), "too late"],
    ["rejects with no text", () => Promise.reject(Object.create(null) as Error), "something that has no text"],
  ])("PLK-98 says that a provider's destroy %s, and destroys the others", async (_name, fail, text) => {
    const ports = quietPorts();
    let others = 0;
    const agents = [
      agent({ ...destroyable(fail), name: "openai:gpt" }),
      agent(
        destroyable(() => void others++),
        { id: "bob" },
      ),
    ];
    await runtime(agents, { ports }).destroy();
    expect(others).toBe(1);
    expect(ports.warnings).toHaveLength(1);
    expect(ports.warnings[0]).toContain("openai:gpt");
    expect(ports.warnings[0]).toContain(text);
  });

  it("lets no further run begin", async () => {
    const provider = watchedScript([say("x")]);
    const one = runtime([agent(provider)]);
    await one.destroy();
    expect(await rejection(one.run({ goal: "g" }))).toMatchObject({ code: "aborted" });
    expect(provider.asked).toEqual([]);
  });
});
