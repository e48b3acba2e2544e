// Runs that happen at the same time, on one runtime or on two, are the runs that would have happened one after another.

import fc from "fast-check";
import { expect, it } from "vitest";
import type { LlmProviderAdapter, LlmTurnRequest } from "../../src/core/model/provider.js";
import type { AgentRuntime } from "../../src/core/runtime/runtime.js";
import type { Plan } from "../../src/core/runtime/plan.js";
import type { RunResult } from "../../src/core/runtime/run-plan.js";
import { agent, runtime } from "../support/agents.js";
import { told } from "../support/plans.js";
import { ask, say, tool } from "../support/script.js";

/** How many calls each visit makes, one number a turn; it is the goal of the run, and all that its model knows. */
const goal = fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 });

/** A model without state: how far it is stands in the conversation. */
const model: LlmProviderAdapter = {
  name: "model",
  turn: async ({ messages }: LlmTurnRequest) => {
    const text = String(messages[1]?.content);
    const turns = JSON.parse(text.split("\n")[0] ?? "[]") as number[];
    const taken = messages.filter(({ role }) => role === "assistant").length;
    if (taken >= turns.length) return say(`${messages.length} after ${text.length}`);
    return ask(
      Array.from({ length: turns[taken] ?? 0 }, (_, index) => ({ name: "note", arguments: { at: taken, index } })),
    );
  },
};

const plan: Plan = {
  entry: "a",
  edges: [
    { from: "a", to: "b" },
    { from: "b", to: "a" },
  ],
  exits: [],
};

/** Two agents whose tool reads and writes what the run shares, waiting where `wait` says. */
function make(wait: () => Promise<void>): AgentRuntime {
  const note = tool("note", async ({ at, index }, { memory, agentId }) => {
    await wait();
    await memory.set("shared", `${agentId} ${String(at)} ${String(index)}`, `${agentId} was here`);
    await wait();
    return (await memory.get("shared", "agent:a:answer")) ?? null;
  });
  const part = { customTools: [note], budget: { maxToolCalls: 7 } };
  return runtime([agent(model, { id: "a", ...part }), agent(model, { id: "b", ...part })], { maxAgentVisits: 2 });
}

const comparable = (result: RunResult) => ({
  ...result,
  runId: "",
  events: told(result),
});

it.each([
  ["one runtime", 1],
  ["two runtimes", 2],
])("PLK-11 runs on %s at the same time are the runs apart", async (_name, count) => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(goal, { minLength: 2, maxLength: 3 }), async (scheduler, goals) => {
      const apart: RunResult[] = [];
      for (const turns of goals) {
        apart.push(await make(() => Promise.resolve()).run({ goal: JSON.stringify(turns), plan }));
      }
      const wait = () => scheduler.schedule(Promise.resolve());
      const runtimes = Array.from({ length: count }, () => make(wait));
      const running = Promise.all(
        goals.map((turns, index) =>
          (runtimes[index % count] as AgentRuntime).run({ goal: JSON.stringify(turns), plan }),
        ),
      );
      const together = await scheduler.waitFor(running);
      expect(together.map(comparable)).toEqual(apart.map(comparable));
      expect(new Set(together.map(({ runId }) => runId)).size).toBe(goals.length);
    }),
    { numRuns: 100 },
  );
});
