import { describe, expect, it } from "vitest";
import type { AgentEvent, EventBody } from "../../../src/core/events/event.js";
import { createRunTotal } from "../../../src/core/vertex/cost.js";
import { createNodeProjection, projectNodeEvents, type NodeFact } from "../../../src/core/vertex/events.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import type { FallbackAttempt, FallbackStart } from "../../../src/core/providers/fallback/failure.js";
import { fallbackProvider } from "../../../src/core/providers/fallback.js";
import { AgentError, ToolPolicyError } from "../../../src/core/errors.js";
import { agent, runtime } from "../../support/agents.js";
import { fail, player } from "../../support/chain.js";
import { rejection } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";

const node = { nodeId: "n1", model: "planned" };
const project = (...facts: NodeFact[]) => projectNodeEvents(node, facts);
const delta = (text: string, kind: "text" | "reasoning" | "tool-call" = "text"): EventBody => ({
  type: "llm-delta",
  kind,
  text,
});
const tried = (model: string, attemptNumber: number) => ({ entry: 0, provider: "p", model, attemptNumber });
const started = (model: string, attemptNumber = 1): FallbackStart => ({
  ...tried(model, attemptNumber),
  outcome: "started",
});
const answered = (model: string, attemptNumber: number, costUsd?: number): FallbackAttempt => ({
  ...tried(model, attemptNumber),
  outcome: "answered",
  usage: { inputTokens: 3, outputTokens: 4 },
  ...(costUsd === undefined ? {} : { costUsd }),
});
const failed = (model: string, attemptNumber: number): FallbackAttempt => ({
  ...tried(model, attemptNumber),
  outcome: "failed",
  error: new AgentError("timeout", "late"),
});
const skipped: FallbackAttempt = {
  ...{ entry: 0, provider: "p", model: "cold", outcome: "skipped", reason: "cooldown", remainingMs: 5 },
};
const called = (args: object, refused?: true): EventBody => ({
  ...{ type: "tool-call", callId: "c0", tool: "t", arguments: args as never },
  ...(refused === undefined ? {} : { refused }),
});

describe("agent:token", () => {
  it("REL-59 is each piece of text with the model of the attempt that streams it", () => {
    expect(project(started("m-1"), delta("h"), started("m-2", 2), delta("i"))).toEqual([
      { type: "agent:token", nodeId: "n1", token: "h", model: "m-1" },
      { type: "agent:token", nodeId: "n1", token: "i", model: "m-2" },
    ]);
  });

  it("REL-59 names the planned model before any attempt is known", () => {
    expect(project(delta("h"))).toEqual([{ type: "agent:token", nodeId: "n1", token: "h", model: "planned" }]);
  });

  it("REL-59 is text alone, and neither reasoning nor arguments", () => {
    expect(project(delta("hm", "reasoning"), delta("{}", "tool-call"))).toEqual([]);
  });
});

describe("agent:tool_call", () => {
  it("REL-60 names tool, input and the model and number of the attempt that asked", () => {
    expect(project(started("m"), answered("m-2024", 2), called({ a: 1 })).at(-1)).toEqual({
      ...{ type: "agent:tool_call", nodeId: "n1", model: "m-2024", attemptNumber: 2 },
      ...{ toolId: "t", toolInput: { a: 1 } },
    });
  });

  it("REL-60 has no number where no attempt is known", () => {
    expect(project(called({}))[0]).toEqual({
      ...{ type: "agent:tool_call", nodeId: "n1", model: "planned", toolId: "t", toolInput: {} },
    });
  });

  it("REL-72 has no input of a refused call, and no key in any input", () => {
    expect(project(called({ password: "hunter2" }, true))).toMatchObject([{ toolInput: {} }]);
    const key = "sk-test-0123456789abcdef";
    expect(project(called({ headers: [{ authorization: `Bearer ${key}` }], key, n: 1 }))).toMatchObject([
      { toolInput: { headers: [{ authorization: "***" }], key: "***", n: 1 } },
    ]);
  });
});

describe("agent:tool_result", () => {
  const base = { callId: "c0", tool: "t" };
  it.each<[string, EventBody, boolean, string]>([
    ["a result", { type: "tool-result", ...base, content: "fine", cut: 0 }, true, "fine"],
    ["a failure", { type: "tool-failed", ...base, message: "broke" }, false, "broke"],
    ["a masked failure", { type: "tool-failed", ...base, message: "secret", masked: true }, false, "tool unavailable"],
    ["an unknown tool", { type: "tool-rejected", ...base }, false, "tool unavailable"],
    ["a denial", { type: "tool-denied", ...base, message: "not today" }, false, "not today"],
  ])("REL-61 tells %s", (_what, event, success, outputSummary) => {
    expect(project(started("m", 3), event)).toEqual([
      { type: "agent:tool_result", nodeId: "n1", toolId: "t", success, outputSummary, attemptNumber: 3 },
    ]);
  });

  it("REL-71 is a summary, without keys, also where the cut would halve one", () => {
    const token = `eyJ${"a".repeat(40)}.${"b".repeat(40)}.c`;
    const content = `${"x ".repeat(240)}${token} ${"y".repeat(9_000)}`;
    const [event] = project({ type: "tool-result", ...base, content, cut: 0 });
    const summary = event?.type === "agent:tool_result" ? event.outputSummary : "";
    expect(summary.length).toBeLessThanOrEqual(500);
    expect(summary).toContain("***");
    expect(summary).not.toContain("eyJ");
  });
});

describe("cost:updated", () => {
  it("REL-63 REL-65 REL-67 REL-80 is one for each attempt that was made, with its model and the total so far", () => {
    const facts = [failed("m-1", 1), skipped, answered("m-2", 2, 0.5), answered("m-3", 1, 0.25), answered("m-4", 1)];
    const cost = { type: "cost:updated", nodeId: "n1", inputTokens: 3, outputTokens: 4 };
    expect(project(...facts)).toEqual([
      {
        ...{ ...cost, model: "m-1", inputTokens: 0, outputTokens: 0, attemptNumber: 1 },
        ...{ costMicrocents: 0, cumulativeCostMicrocents: 0 },
      },
      {
        ...{ ...cost, model: "m-2", attemptNumber: 2 },
        ...{ costMicrocents: 50_000_000, cumulativeCostMicrocents: 50_000_000 },
      },
      {
        ...{ ...cost, model: "m-3", attemptNumber: 1 },
        ...{ costMicrocents: 25_000_000, cumulativeCostMicrocents: 75_000_000 },
      },
      {
        ...{ ...cost, model: "m-4", attemptNumber: 1 },
        ...{ costMicrocents: 0, cumulativeCostMicrocents: 75_000_000 },
      },
    ]);
  });

  it("REL-63 counts a value that is not an amount as zero", () => {
    const usage = { inputTokens: NaN, outputTokens: -3 };
    expect(project({ ...tried("m", 1), outcome: "answered", usage, costUsd: -1 })).toMatchObject([
      { inputTokens: 0, outputTokens: 0, costMicrocents: 0, cumulativeCostMicrocents: 0 },
    ]);
  });

  it("REL-66 has the run's total once the engine's authority has counted it, over all vertices", () => {
    const total = createRunTotal();
    const one = createNodeProjection(node);
    const two = createNodeProjection({ nodeId: "n2", model: "m" });
    const bodies = [
      one(answered("m", 1, 0.5)),
      two(answered("m", 1, 0.25)),
      one(delta("h")),
      one(answered("m", 1, 0.5)),
    ];
    const stamped = bodies.map((body) => body && total(body));
    expect(stamped.map((body) => body && "cumulativeCostMicrocents" in body && body.cumulativeCostMicrocents)).toEqual([
      50_000_000,
      75_000_000,
      false,
      125_000_000,
    ]);
    expect(stamped[2]).toBe(bodies[2]);
    expect(bodies[3]).toMatchObject({ cumulativeCostMicrocents: 100_000_000 });
  });
});

describe("a vertex's events", () => {
  it("REL-68 tell of no budget and of nothing else that is the run's", () => {
    const facts: NodeFact[] = [
      { type: "run-start", goal: "g" },
      { type: "turn-start" },
      { type: "llm-turn", stopReason: "stop", toolCalls: 0, costUsd: 1 },
      { type: "llm-error", name: "x", message: "x" },
      { type: "corrections-exhausted", limit: 1 },
      { type: "budget-exhausted", cap: "turns", limit: 1 },
      { type: "run-end", stop: "budget" },
      started("m"),
      skipped,
    ];
    expect(project(...facts)).toEqual([]);
  });

  it("REL-58 REL-62 come from a real run in its order, without an envelope", async () => {
    const facts: NodeFact[] = [];
    const streaming: LlmProviderAdapter = {
      name: "p:second",
      turn: () => Promise.reject(new Error("not streamed")),
      async *stream(request) {
        const isFirst = request.messages.at(-1)?.role === "user";
        if (!isFirst) yield { type: "text-delta", text: "done" };
        const usage = { inputTokens: 1, outputTokens: 1 };
        const response = isFirst ? ask([{ name: "echo", arguments: { a: 1 } }], { usage }) : say("done", { usage });
        yield { type: "response", response };
      },
    };
    const entries = [
      { provider: player("p:first", [fail("bad-request"), fail("bad-request")]) },
      { provider: streaming },
    ];
    const heard = { onAttempt: (fact: NodeFact) => void facts.push(fact) };
    const chain = fallbackProvider(entries, { ...heard, onAttemptStart: (fact) => void facts.push(fact) });
    const onEvent = (event: AgentEvent) => void facts.push(event);
    const custom = { customTools: [tool("echo", (args) => args)], streaming: true };
    await runtime([agent(chain, custom)], { onEvent }).run({ goal: "g" });

    const bodies = project(...facts);
    expect(bodies.map((body) => [body.type, "model" in body ? body.model : body.toolId])).toEqual([
      ["cost:updated", "first"],
      ["cost:updated", "second"],
      ["agent:tool_call", "second"],
      ["agent:tool_result", "echo"],
      ["cost:updated", "first"],
      ["agent:token", "second"],
      ["cost:updated", "second"],
    ]);
    const keys = new Set(bodies.flatMap((body) => Object.keys(body)));
    for (const stamp of ["runId", "sessionId", "timestamp", "sequenceNumber", "seq", "at"])
      expect(keys).not.toContain(stamp);
  });

  it("REL-49 REL-61 tell a denial as the failed result that ended the run", async () => {
    const facts: NodeFact[] = [];
    const refund = tool("refund", () => {
      throw new ToolPolicyError("not after 30 days");
    });
    const provider = player("p:m", [ask([{ name: "refund" }])]);
    const one = runtime([agent(provider, { customTools: [refund] })], { onEvent: (event) => void facts.push(event) });
    expect(await rejection(one.run({ goal: "g" }))).toBeInstanceOf(ToolPolicyError);
    expect(project(...facts).at(-1)).toMatchObject({ success: false, outputSummary: "not after 30 days" });
  });
});
