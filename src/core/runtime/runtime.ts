// createRuntime: agents with their own provider, manifest and budget, driven by the one loop. Without a plan the first
// agent runs alone.

import { seal } from "../canon/copy.js";
import { AgentError } from "../errors.js";
import type { AgentEvent } from "../events/event.js";
import { createEventLog, type EventListener, type EventLog } from "../events/log.js";
import { createBudget, type Budget, type BudgetCap } from "../loop/budget.js";
import { runLoop, type LoopStop } from "../loop/loop.js";
import type { LlmMessage } from "../model/message.js";
import type { UsageTotal } from "../model/usage.js";
import { withSystemPorts, type Ports } from "../ports.js";
import { assertNotAborted } from "../tools/call.js";
import { thrownText } from "../tools/thrown.js";
import type { CustomToolContext } from "../tools/tool.js";
import { VERB_NAMES, type VerbBodies, type VerbName, type VerbSet } from "../tools/verbs.js";
import { assertKnownOptions, createAgent, type Agent, type AgentDefinition } from "./agent.js";

export interface RuntimeOptions {
  readonly agents: readonly AgentDefinition[];
  /** Bodies for the eight verbs. Without them no verb is offered. */
  readonly verbs?: VerbBodies;
  readonly onEvent?: EventListener;
  readonly ports?: Partial<Ports>;
}

export interface RunOptions {
  /** Becomes the user message. */
  readonly goal: string;
  readonly signal?: AbortSignal;
}

export interface RunResult {
  /** The agent that answered. */
  agentId: string;
  /** The model's last words; "" when a cap ended the run before it said any. */
  finalAnswer: string;
  /** Which cap ended the run. Absent when the model finished. */
  budgetExhausted?: BudgetCap;
  turns: number;
  toolCalls: number;
  usage: UsageTotal;
  /** The whole conversation, the system message first. */
  messages: readonly LlmMessage[];
  events: readonly AgentEvent[];
  /** Events beyond the log's limit, which were not kept. */
  droppedEvents: number;
}

export interface AgentRuntime {
  /** Rejects with what a provider threw, unchanged, or with `AgentError` `aborted`. A reached cap is a normal result. */
  run(options: RunOptions): Promise<RunResult>;
  /** Aborts what runs and calls each provider's `destroy()`. Safe to call twice. */
  destroy(): Promise<void>;
}

/** Throws `AgentError` `invalid-options` for whatever can be known to be wrong before the first turn. */
export function createRuntime(options: RuntimeOptions): AgentRuntime {
  assertKnownOptions("createRuntime", options, ["agents", "verbs", "onEvent", "ports"]);
  const ports = withSystemPorts(options.ports);
  const agents = createAgents(options);
  const first = agents[0] as Agent;
  const destroyed = new AbortController();

  return {
    async run(run) {
      assertKnownOptions("run", run, ["goal", "signal"]);
      if (typeof run.goal !== "string")
        throw new AgentError("invalid-options", "run has no goal", { hint: "Pass a string." });
      const signal = run.signal === undefined ? destroyed.signal : AbortSignal.any([run.signal, destroyed.signal]);
      const log = createEventLog(ports, options.onEvent);
      return runAgent(first, run.goal, signal, options.verbs, log);
    },
    async destroy() {
      if (destroyed.signal.aborted) return;
      destroyed.abort(new AgentError("aborted", "the runtime was destroyed"));
      const providers = new Set(agents.map((agent) => agent.provider));
      for (const provider of providers) await destroyProvider(provider, ports);
    },
  };
}

function createAgents({ agents, verbs }: RuntimeOptions): Agent[] {
  if (!Array.isArray(agents) || agents.length === 0) {
    throw new AgentError("invalid-options", "createRuntime has no agents", { hint: "Pass { agents: [{ id, … }] }." });
  }
  const ids = agents.map((agent: AgentDefinition) => agent.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) {
    throw new AgentError("invalid-options", `two agents have the id ${twice}`, { hint: "Give each agent its own id." });
  }
  return agents.map((agent: AgentDefinition) => createAgent(agent, verbs));
}

async function runAgent(
  agent: Agent,
  goal: string,
  signal: AbortSignal,
  verbs: VerbBodies | undefined,
  log: EventLog,
): Promise<RunResult> {
  assertNotAborted(signal);
  const budget = createBudget(agent.budget);
  const history: LlmMessage[] = [
    seal({ role: "system", content: agent.systemPrompt }),
    seal({ role: "user", content: goal }),
  ];
  const context: CustomToolContext = { signal, agentId: agent.id, pluck: bindVerbs(verbs, signal, agent.id) };
  let turn = -1;
  const emit = (turnIndex: number, body: Parameters<EventLog["append"]>[2]) => {
    turn = turnIndex;
    log.append(agent.id, turnIndex, body);
  };
  const { provider, tools, settings, timeoutMs, streaming } = agent;
  const optional = {
    ...(settings === undefined ? {} : { settings }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(streaming === undefined ? {} : { streaming }),
  };

  emit(-1, { type: "run-start", goal });
  try {
    const stop = await runLoop({ provider, tools, ...optional, budget, context, emit, history });
    emit(turn, { type: "run-end", stop: stop.kind });
    return toResult(agent.id, stop, budget, history, log);
  } catch (error) {
    emit(turn, { type: "run-end", stop: "failed" });
    throw error;
  }
}

function toResult(agentId: string, stop: LoopStop, budget: Budget, messages: LlmMessage[], log: EventLog): RunResult {
  return {
    agentId,
    finalAnswer: stop.kind === "finished" ? stop.finalAnswer : lastWords(messages),
    ...(stop.kind === "budget" ? { budgetExhausted: stop.cap } : {}),
    turns: budget.turns,
    toolCalls: budget.toolCalls,
    usage: budget.usage,
    messages,
    events: log.events,
    droppedEvents: log.dropped,
  };
}

function lastWords(messages: readonly LlmMessage[]): string {
  return (
    (messages.findLast((message) => message.role === "assistant" && message.content !== "")?.content as string) ?? ""
  );
}

function bindVerbs(verbs: VerbBodies | undefined, signal: AbortSignal, agentId: string): VerbSet {
  const bind = (name: VerbName) => async (args: Parameters<VerbSet[VerbName]>[0]) => {
    assertNotAborted(signal);
    if (verbs === undefined) {
      throw new AgentError("invalid-options", `the runtime has no body for ${name}`, {
        hint: "Pass `verbs` to createRuntime.",
      });
    }
    return verbs[name](args, { signal, agentId });
  };
  return Object.fromEntries(VERB_NAMES.map((name) => [name, bind(name)])) as VerbSet;
}

async function destroyProvider(provider: Agent["provider"], ports: Ports): Promise<void> {
  try {
    await provider.destroy?.();
  } catch (error) {
    ports.warn(`playhead: destroying provider ${provider.name ?? "unnamed"} failed: ${thrownText(error)}`);
  }
}
