// Agents with fixed answers, for tests of plans and handoffs.

import type { LlmProviderAdapter, LlmTurnRequest } from "../../src/core/model/provider.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import type { AgentDefinition } from "../../src/core/runtime/agent.js";
import type { RunResult } from "../../src/core/runtime/run-plan.js";
import { agent } from "./agents.js";
import { say } from "./script.js";

/** An agent that gives one of `answers` on each visit. */
export const speaker = (id: string, answers: readonly string[], part: Partial<AgentDefinition> = {}): AgentDefinition =>
  agent(scriptedProvider(answers.map((text) => say(text))), { id, systemPrompt: `You are ${id}.`, ...part });

/** A provider without state. `answer` makes each answer from the request. */
export const stateless = (answer: (request: LlmTurnRequest) => string): LlmProviderAdapter => ({
  name: "stateless",
  turn: async (request) => say(answer(request)),
});

/** The agents of a run in the order they were entered. */
export const path = ({ visits }: Pick<RunResult, "visits">): string[] => visits.map(({ agentId }) => agentId);

/** The events of some types, without the fields that come from a clock or a random number. */
export function told(result: Pick<RunResult, "events">, ...types: string[]): object[] {
  return result.events
    .filter(({ type }) => types.length === 0 || types.includes(type))
    .map(({ at: _at, hlc: _hlc, runId: _runId, ...event }) => event);
}
