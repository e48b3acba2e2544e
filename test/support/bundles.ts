// A run of two agents, recorded and replayed. A researcher with a tool hands its answer to an actor, and a reviewer is
// never used. Two runtimes are chained by hand, so that the tests of bundles do not depend on plans.

import type { AgentBundle, PlanLike, RunLike } from "../../src/cassette/bundle/format.js";
import { recordAgents } from "../../src/cassette/bundle/record.js";
import type { RecordingOptions } from "../../src/cassette/record/recorder.js";
import type { LlmProviderAdapter, LlmTurnResponse } from "../../src/core/model/provider.js";
import type { Ports } from "../../src/core/ports.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import type { AgentDefinition } from "../../src/core/runtime/agent.js";
import { createRuntime } from "../../src/core/runtime/runtime.js";
import { keepForOracle } from "./oracle.js";
import { WEATHER_SCRIPT } from "./recording.js";
import { say, tool } from "./script.js";

export const PLAN: PlanLike = {
  entry: "researcher",
  edges: [
    { from: "researcher", to: "reviewer", when: (answer: string) => answer.includes("?") },
    { from: "researcher", to: "actor" },
  ],
  exits: ["actor", "reviewer"],
};
export const RESULT: RunLike = {
  visits: [{ agentId: "researcher" }, { agentId: "actor" }],
  ended: { kind: "exit" },
};
export const ACTOR_SCRIPT: readonly LlmTurnResponse[] = [say("Umbrella packed.")];

/** A fixed clock, and other random bytes at each call. */
export function countingPorts(first = 0): Pick<Ports, "now" | "randomBytes"> {
  let next = first;
  return {
    now: () => Date.UTC(2026, 10, 20, 12),
    randomBytes: (length) => Uint8Array.from({ length }, () => next++ % 256),
  };
}

export interface TrioProviders {
  researcher?: LlmProviderAdapter;
  actor?: LlmProviderAdapter;
  reviewer?: LlmProviderAdapter;
}

export function trio(providers: TrioProviders = {}): AgentDefinition[] {
  const {
    researcher = scriptedProvider(WEATHER_SCRIPT),
    actor = scriptedProvider(ACTOR_SCRIPT),
    reviewer = scriptedProvider([]),
  } = providers;
  return [
    {
      id: "researcher",
      systemPrompt: "Look it up.",
      provider: researcher,
      customTools: [tool("weather", () => "rain")],
    },
    { id: "actor", systemPrompt: "Do it.", provider: actor },
    { id: "reviewer", systemPrompt: "Check it.", provider: reviewer },
  ];
}

/** Drives agents one after the other, each with the final answer of the one before as its goal. */
export async function runChain(agents: readonly AgentDefinition[], ids: readonly string[], goal: string) {
  let handed = goal;
  for (const id of ids) {
    const agent = agents.find((each) => each.id === id) as AgentDefinition;
    handed = (await createRuntime({ agents: [agent] }).run({ goal: handed })).finalAnswer;
  }
  return { finalAnswer: handed, result: { visits: ids.map((agentId) => ({ agentId })), ended: RESULT.ended } };
}

/** The run of researcher and actor as a bundle. Another `first` makes another recording of it. */
export async function trioBundle(options: RecordingOptions = {}, first = 0): Promise<AgentBundle> {
  const recording = recordAgents(trio(), { ports: countingPorts(first), ...options });
  const { result } = await runChain(recording.agents, ["researcher", "actor"], "Umbrella?");
  const bundle = recording.toBundle({ plan: PLAN, result });
  for (const cassette of Object.values(bundle.cassettes)) keepForOracle(cassette);
  return bundle;
}
