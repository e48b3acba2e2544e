import { describe, expect, it } from "vitest";
import type { AgentEvent, EventBody } from "../../../src/core/events/event.js";
import { createEventLog } from "../../../src/core/events/log.js";
import { toTraceEvent, type TraceEvent } from "../../../src/core/events/trace.js";
import { ToolArgError } from "../../../src/core/errors.js";
import { agent, runtime } from "../../support/agents.js";
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
  ])(
    "PLK-82 PLK-83 PLK-84 PLK-85 PLK-86 PLK-87 PLK-88 PLK-89 PLK-90 names %s, of %s, with its place and payload",
    (name, capability, body) => {
      const { type: _type, ...payload } = body;
      expect(traced(body)).toEqual({
        ...{ name, capability, runId: "ab".repeat(16), agentId: "ann", turnIndex: 3, payload },
        hlc: expect.stringMatching(/^[0-9a-f]{12}-[0-9a-f]{4}-[0-9a-f]{8}$/) as string,
      });
    },
  );

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

  it("tells a run in the order it happened, as its stamps sort", async () => {
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
