import { describe, expect, it, vi } from "vitest";
import { STEPS_PER_PAUSE } from "../../../src/core/loop/run-control.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { systemPorts } from "../../../src/core/ports.js";
import { agent, runtime } from "../../support/agents.js";
import { PATIENCE } from "../../support/patience.js";
import { rejection } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";

/** Far more than a machine does before a timer of some milliseconds fires. */
const MANY = 1_000 * STEPS_PER_PAUSE;
const ports = { ...systemPorts, warn: () => undefined };
const abortSoon = () => AbortSignal.timeout(5);

describe("a run that waits for nothing", () => {
  it("PLK-101 can be aborted by a timer while exhausted agents hand over to each other", async () => {
    let visits = 0;
    const spent = (id: string) => agent(scriptedProvider([]), { id, budget: { maxTurns: 0 } });
    const edges = [
      { from: "a", to: "b", when: () => (visits += 1) > 0 },
      { from: "b", to: "a" },
    ];
    const desk = runtime([spent("a"), spent("b")], { maxAgentVisits: MANY, ports });
    const run = desk.run({ goal: "g", plan: { entry: "a", edges, exits: [] }, signal: abortSoon() });
    expect(await rejection(run)).toMatchObject({ code: "aborted" });
    expect(visits).toBeLessThan(MANY);
    expect(visits).toBeGreaterThan(0);
  });

  it("PLK-101 can be aborted by a timer between turns", async () => {
    let turns = 0;
    const provider: LlmProviderAdapter = {
      async turn() {
        turns += 1;
        return ask([{ name: "t" }]);
      },
    };
    const budget = { maxTurns: MANY, maxToolCalls: MANY };
    const desk = runtime([agent(provider, { budget, customTools: [tool("t", () => 1)] })], { ports });
    expect(await rejection(desk.run({ goal: "g", signal: abortSoon() }))).toMatchObject({ code: "aborted" });
    expect(turns).toBeLessThan(MANY);
  });

  it("PLK-101 can be aborted by a timer in a stream of deltas, which ends there", async () => {
    let deltas = 0;
    let isClosed = false;
    const provider: LlmProviderAdapter = {
      turn: async () => say("never"),
      async *stream() {
        try {
          for (; deltas < MANY; deltas++) yield { type: "text-delta", text: "x" };
        } finally {
          isClosed = true;
        }
        yield { type: "response", response: say("done") };
      },
    };
    const desk = runtime([agent(provider, { streaming: true })], { ports });
    expect(await rejection(desk.run({ goal: "g", signal: abortSoon() }))).toMatchObject({ code: "aborted" });
    expect(deltas).toBeLessThan(MANY);
    await vi.waitFor(() => expect(isClosed).toBe(true), PATIENCE);
  });
});
