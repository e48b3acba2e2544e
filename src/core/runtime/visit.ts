// One visit of one agent: a fresh conversation, driven by the loop to its end. The agent's budget lasts for the whole run.

import { defined } from "../defined.js";
import { seal } from "../canon/copy.js";
import type { RunScope } from "../memory/run-memory.js";
import type { EventBody, EventDetail } from "../events/event.js";
import type { EventLog } from "../events/log.js";
import { createBudget, type Budget, type BudgetCap } from "../loop/budget.js";
import type { RunControl } from "../loop/run-control.js";
import { runLoop, type LoopStop } from "../loop/loop.js";
import type { LlmMessage } from "../model/message.js";
import type { LlmTurnResponse } from "../model/provider.js";
import type { UsageTotal } from "../model/usage.js";
import type { Ports } from "../ports.js";
import type { ToolSurroundings } from "../tools/tool.js";
import type { VerbBodies } from "../tools/verbs.js";
import type { Agent } from "./agent.js";
import { bindVerbs } from "./verbs.js";

/** One visit of an agent, from its entry to its answer. */
export interface AgentVisit {
  agentId: string;
  /** The model's last text. If a cap ended the visit before any, that of an earlier visit, or "". */
  finalAnswer: string;
  /** The cap that ended the visit. Absent if the model finished. */
  budgetExhausted?: BudgetCap;
  turns: number;
  toolCalls: number;
  usage: UsageTotal;
  /** The whole conversation, the system message first. */
  messages: readonly LlmMessage[];
}

export interface Member {
  readonly agent: Agent;
  readonly budget: Budget;
  readonly context: ToolSurroundings;
  readonly ports: Pick<Ports, "timer" | "warn">;
  readonly control: RunControl;
  /** Each agent counts its own turns, so each begins its idempotency keys by another text. */
  readonly runId: string;
  visits: number;
  exhausted: BudgetCap | undefined;
  lastWords: string;
}

export interface Surroundings {
  readonly signal: AbortSignal;
  readonly verbs: VerbBodies | undefined;
  readonly scope: RunScope;
  readonly ports: Pick<Ports, "timer" | "warn">;
  readonly control: RunControl;
  readonly log: Pick<EventLog, "runId">;
}

export interface VisitInput {
  readonly prompt: string;
  readonly emit: (turnIndex: number, body: EventBody, detail?: EventDetail) => void;
  readonly spend: (response: LlmTurnResponse) => void;
}

export function createMember(agent: Agent, { signal, verbs, scope, ports, control, log }: Surroundings): Member {
  const asked = { signal, agentId: agent.id, memory: scope.viewOf(agent.id) };
  return {
    agent,
    budget: createBudget(agent.budget),
    context: { ...asked, pluck: bindVerbs(verbs, asked) },
    ports,
    control,
    runId: `${log.runId}:${agent.id}`,
    visits: 0,
    exhausted: undefined,
    lastWords: "",
  };
}

export async function visit(member: Member, { prompt, emit, spend }: VisitInput): Promise<AgentVisit> {
  const { agent, budget } = member;
  const { turns, toolCalls } = budget;
  const used = createTally();
  const messages: LlmMessage[] = [
    seal({ role: "system", content: agent.systemPrompt }),
    seal({ role: "user", content: prompt }),
  ];
  member.visits += 1;
  const stop = await converse(member, messages, (turnIndex, body, detail) => {
    if (detail?.kind === "turn") {
      used.spend(detail.response);
      spend(detail.response);
      warnUncapped(member, detail.response);
    }
    emit(turnIndex, body, detail);
  });

  if (stop.kind === "budget") member.exhausted = stop.cap;
  member.lastWords = (stop.kind === "finished" ? stop.finalAnswer : lastWords(messages)) ?? member.lastWords;
  return {
    agentId: agent.id,
    finalAnswer: member.lastWords,
    ...(stop.kind === "budget" ? { budgetExhausted: stop.cap } : {}),
    turns: budget.turns - turns,
    toolCalls: budget.toolCalls - toolCalls,
    usage: used.usage,
    messages,
  };
}

/** Agents whose cost cap was reported not to apply. */
const uncapped = new WeakSet<Agent>();

/** Says once for each agent that its cap of cost stops nothing. */
export function warnUncapped({ agent, ports }: Pick<Member, "agent" | "ports">, { costUsd }: LlmTurnResponse): void {
  const { maxCostUsd = Infinity } = agent.budget ?? {};
  if (maxCostUsd === Infinity || costUsd !== undefined || uncapped.has(agent)) return;
  uncapped.add(agent);
  ports.warn(
    `playhead: agent ${agent.id} has a maxCostUsd of ${maxCostUsd}, but its provider reported no cost, so this cap stops ` +
      "nothing; pass pricing to the provider, or set maxTokens",
  );
}

/** Counts usage by the rules of a budget, with no limit. */
export function createTally(): Pick<Budget, "spend" | "usage"> {
  return createBudget();
}

/** Runs the loop, unless a cap stopped the agent before: then it takes no further turn in this run. */
async function converse(member: Member, history: LlmMessage[], emit: VisitInput["emit"]): Promise<LoopStop> {
  const { agent, budget, context, ports, control, runId, exhausted } = member;
  if (exhausted !== undefined) {
    emit(budget.turns, { type: "budget-exhausted", cap: exhausted, limit: budget.limitOf(exhausted) });
    return { kind: "budget", cap: exhausted };
  }
  const { provider, tools, settings, timeoutMs, streaming, onToolError, maxCorrections, policies } = agent;
  return runLoop({
    provider,
    tools,
    ...defined({ settings, timeoutMs, streaming, onToolError, maxCorrections, policies }),
    budget,
    context,
    ports,
    control,
    runId,
    emit,
    history,
  });
}

/** The text of the last answer that has one. */
export function lastWords(messages: readonly LlmMessage[]): string | undefined {
  return messages.findLast((message) => message.role === "assistant" && message.content !== "")?.content as
    string | undefined;
}
