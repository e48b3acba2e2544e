// Agents whose every answer is known, for tests of what happens between agents.

import type { LlmProviderAdapter, LlmTurnRequest } from "../../src/core/model/provider.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import type { AgentDefinition } from "../../src/core/runtime/agent.js";
import type { RunResult } from "../../src/core/runtime/run.js";
import { agent } from "./agents.js";
import { say } from "./script.js";

/** An agent that says one of `answers` on each visit. */
export const speaker = (id: string, answers: readonly string[], part: Partial<AgentDefinition> = {}): AgentDefinition =>
  agent(scriptedProvider(answers.map((text) => say(text))), { id, systemPrompt: `You are ${id}.`, ...part });

/** A provider without state: it answers `id` and how often it was asked for, which it reads from what it is asked. */
export const stateless = (answer: (request: LlmTurnRequest) => string): LlmProviderAdapter => ({
  name: "stateless",
  turn: async (request) => say(answer(request)),
});

/** The agents of a run in the order they were entered. */
export const path = ({ visits }: Pick<RunResult, "visits">): string[] => visits.map(({ agentId }) => agentId);

/** The events of some types, without what a clock or a random number stamps. */
export function told(result: Pick<RunResult, "events">, ...types: string[]): object[] {
  return result.events
    .filter(({ type }) => types.length === 0 || types.includes(type))
    .map(({ at: _at, hlc: _hlc, runId: _runId, ...event }) => event);
}
