import { describe, expect, it } from "vitest";
import type { AgentEvent, EventBody } from "../../../src/core/events/event.js";
import { createEventLog } from "../../../src/core/events/log.js";
import { toTraceEvent, type TraceEvent } from "../../../src/core/events/trace.js";
import { ToolArgError } from "../../../src/core/errors.js";
import type { AgentDefinition } from "../../../src/core/runtime/agent.js";
import type { Plan } from "../../../src/core/runtime/plan.js";
import { agent, runtime } from "../../support/agents.js";
import { speaker } from "../../support/plans.js";
import { ask, quietPorts, say, tool } from "../../support/script.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";

function traced(body: EventBody): TraceEvent | undefined {
  const log = createEventLog(quietPorts(), { runId: "ab".repeat(16) });
  log.append("ann", 3, body);
  return toTraceEvent(log.events[0] as AgentEvent);
}

const call = { callId: "c0", tool: "t" };

describe("toTraceEvent", () => {
  it.each<[string, string, EventBody]>([
    ["agent.llm.turn", "agent:llm", { type: "llm-turn", stopReason: "stop", toolCalls: 0, model: "m" }],
    ["agent.llm.error", "agent:llm", { type: "llm-error", name: "Error", message: "down" }],
    ["agent.tool.invoke", "agent:tool", { type: "tool-result", ...call, content: "1", cut: 0 }],
    ["agent.tool.failed", "agent:tool", { type: "tool-failed", ...call, message: "no" }],
    ["agent.tool.rejected", "agent:tool", { type: "tool-rejected", ...call }],
    ["agent.handoff.transition", "agent:control", { type: "handoff", from: "ann", to: "bob", edge: 0 }],
    ["agent.handoff.cycle", "agent:control", { type: "handoff-cycle", from: "ann", to: "bob", limit: 8 }],
    ["agent.budget.exhausted", "agent:policy", { type: "budget-exhausted", cap: "turns", limit: 50 }],
    ["agent.provider.destroy.failed", "agent", { type: "provider-destroy-failed", provider: "p", message: "no" }],
  ])("names %s, of %s, with its place and payload", (name, capability, body) => {
    const { type: _type, ...payload } = body;
    expect(traced(body)).toEqual({
      ...{ name, capability, runId: "ab".repeat(16), agentId: "ann", turnIndex: 3, payload },
      hlc: expect.stringMatching(/^[0-9a-f]{12}-[0-9a-f]{4}-[0-9a-f]{8}$/) as string,
    });
  });

  it.each<EventBody>([
    { type: "run-start", goal: "g" },
    { type: "turn-start" },
    { type: "tool-call", ...call, arguments: {} },
    { type: "tool-denied", ...call, message: "no" },
    { type: "tool-policy", ...call, hook: "call", action: "changed" },
    { type: "corrections-exhausted", limit: 1 },
    { type: "run-end", stop: "finished" },
  ])("has no name for $type", (body) => {
    expect(traced(body)).toBeUndefined();
  });

  it("PLK-67 PLK-85 keeps tool and field of arguments that were refused", () => {
    const body: EventBody = { type: "tool-failed", ...call, message: "x", masked: true, field: "/amount" };
    expect(traced(body)?.payload).toEqual({ callId: "c0", tool: "t", message: "x", masked: true, field: "/amount" });
  });

  it("names a run in the order it happened, as its stamps sort", async () => {
    const script = scriptedProvider([ask([{ name: "good" }, { name: "bad" }, { name: "gone" }]), say("done")]);
    const tools = [
      tool("good", () => 1),
      tool("bad", () => {
        throw new ToolArgError("too much", { field: "/n" });
      }),
    ];
    const { events } = await runtime([agent(script, { customTools: tools })]).run({ goal: "go" });
    const trace = events.map(toTraceEvent).filter((event) => event !== undefined);
    expect(trace.map(({ name, turnIndex }) => `${turnIndex} ${name}`)).toEqual([
      ...[
        "0 agent.llm.turn",
        "0 agent.tool.invoke",
        "0 agent.tool.failed",
        "0 agent.tool.rejected",
        "1 agent.llm.turn",
      ],
    ]);
    const stamps = trace.map(({ hlc }) => hlc);
    expect(stamps.toSorted()).toEqual(stamps);
  });
});

/** The trace of a run, also of one that rejects, and of its runtime's end. */
async function traceOf(
  agents: readonly AgentDefinition[],
  { plan, maxAgentVisits = 8 }: { plan?: Plan; maxAgentVisits?: number } = {},
): Promise<TraceEvent[]> {
  const events: AgentEvent[] = [];
  const one = runtime(agents, { maxAgentVisits, onEvent: (event) => events.push(event) });
  await one.run({ goal: "g", ...(plan === undefined ? {} : { plan }) }).catch(() => undefined);
  await one.destroy();
  return events.map(toTraceEvent).filter((event) => event !== undefined);
}
const named = (trace: readonly TraceEvent[], name: TraceEvent["name"]) => trace.filter((event) => event.name === name);

describe("the trace of a run", () => {
  it("PLK-82 has an agent.llm.turn for every provider turn", async () => {
    const trace = await traceOf([agent(scriptedProvider([ask([{ name: "gone" }]), say("x", { model: "m" })]))]);
    expect(named(trace, "agent.llm.turn")).toMatchObject([
      { capability: "agent:llm", agentId: "ann", turnIndex: 0, payload: { stopReason: "toolUse", toolCalls: 1 } },
      { capability: "agent:llm", agentId: "ann", turnIndex: 1, payload: { stopReason: "stop", model: "m" } },
    ]);
  });

  it("PLK-83 has an agent.llm.error for a provider that throws", async () => {
    const trace = await traceOf([agent({ turn: () => Promise.reject(new TypeError("down")) })]);
    expect(trace).toMatchObject([
      {
        name: "agent.llm.error",
        capability: "agent:llm",
        turnIndex: 0,
        payload: { name: "TypeError", message: "down" },
      },
    ]);
  });

  it("PLK-84 has an agent.tool.invoke for a call that succeeds, and no other event of it", async () => {
    const script = scriptedProvider([ask([{ name: "good" }]), say("x")]);
    const trace = await traceOf([agent(script, { customTools: [tool("good", () => 1)] })]);
    expect(trace.filter(({ capability }) => capability === "agent:tool")).toMatchObject([
      { name: "agent.tool.invoke", turnIndex: 0, payload: { tool: "good", content: "1" } },
    ]);
  });

  it("PLK-85 has an agent.tool.failed for a call that throws, and for one whose arguments are refused", async () => {
    const broken = tool("broken", () => Promise.reject(new Error("row 7 is locked")));
    const strict = tool("strict", () => 1, { schema: { type: "object", required: ["n"] } });
    const script = scriptedProvider([ask([{ name: "broken" }, { name: "strict" }]), say("x")]);
    const trace = await traceOf([agent(script, { customTools: [broken, strict] })]);
    expect(trace.filter(({ capability }) => capability === "agent:tool")).toMatchObject([
      { name: "agent.tool.failed", payload: { tool: "broken", message: "row 7 is locked" } },
      { name: "agent.tool.failed", payload: { tool: "strict", masked: true } },
    ]);
  });

  it("PLK-86 has an agent.tool.rejected, and no agent.tool.failed, for a tool outside the manifest", async () => {
    const trace = await traceOf([agent(scriptedProvider([ask([{ name: "gone" }]), say("x")]))]);
    expect(trace.filter(({ capability }) => capability === "agent:tool")).toMatchObject([
      { name: "agent.tool.rejected", payload: { tool: "gone" } },
    ]);
  });

  it("PLK-87 has an agent.handoff.transition for each edge that is taken", async () => {
    const plan = {
      entry: "a",
      edges: [
        { from: "a", to: "c", when: () => false },
        { from: "a", to: "b" },
      ],
      exits: ["b"],
    };
    const trace = await traceOf([speaker("a", ["1"]), speaker("b", ["2"]), speaker("c", ["3"])], { plan });
    expect(named(trace, "agent.handoff.transition")).toMatchObject([
      { capability: "agent:control", payload: { from: "a", to: "b", edge: 1 } },
    ]);
  });

  it("PLK-88 has an agent.handoff.cycle where the visit limit is met", async () => {
    const plan = { entry: "a", edges: [{ from: "a", to: "a" }], exits: [] };
    const trace = await traceOf([speaker("a", ["1", "2"])], { plan, maxAgentVisits: 2 });
    expect(named(trace, "agent.handoff.cycle")).toMatchObject([
      { capability: "agent:control", payload: { from: "a", to: "a", limit: 2 } },
    ]);
    expect(named(trace, "agent.handoff.transition")).toHaveLength(1);
  });

  it.each([
    ["turns", { maxTurns: 1 }, 1],
    ["toolCalls", { maxToolCalls: 1 }, 1],
    ["tokens", { maxTokens: 100 }, 100],
    ["costUsd", { maxCostUsd: 0.01 }, 0.01],
  ])("PLK-89 has an agent.budget.exhausted where the cap on %s is reached", async (cap, budget, limit) => {
    const usage = { inputTokens: 97, outputTokens: 3 };
    const step = ask([{ name: "t" }, { name: "t" }], { usage, costUsd: 0.01 });
    const script = scriptedProvider([step, step]);
    const trace = await traceOf([agent(script, { budget, customTools: [tool("t", () => 1)] })]);
    expect(named(trace, "agent.budget.exhausted")).toMatchObject([
      { capability: "agent:policy", payload: { cap, limit } },
    ]);
  });

  it("PLK-90 has an agent.provider.destroy.failed for a provider whose destroy throws", async () => {
    const provider = {
      name: "p",
      turn: async () => say("x"),
      destroy: () => Promise.reject(new Error("still loading")),
    };
    const trace = await traceOf([agent(provider)]);
    expect(trace.at(-1)).toMatchObject({
      ...{ name: "agent.provider.destroy.failed", capability: "agent", runId: "", agentId: "ann" },
      payload: { provider: "p", message: "still loading" },
    });
  });
});
