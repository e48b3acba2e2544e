// One run of one agent: its conversation, budget and log, driven by the loop until it settles or is aborted.

import { seal } from "../canon/copy.js";
import { AgentError } from "../errors.js";
import { bindMemory } from "../context/memory.js";
import type { AgentEvent, EventBody, EventDetail } from "../events/event.js";
import type { EventLog } from "../events/log.js";
import { createBudget, type Budget, type BudgetCap } from "../loop/budget.js";
import { runLoop, type LoopStop } from "../loop/loop.js";
import type { Ports } from "../ports.js";
import type { RuntimeMemory } from "../model/memory.js";
import type { LlmMessage } from "../model/message.js";
import type { UsageTotal } from "../model/usage.js";
import { abortError, assertNotAborted } from "../tools/call.js";
import type { CustomToolContext } from "../tools/tool.js";
import { VERB_NAMES, type VerbBodies, type VerbContext, type VerbName, type VerbSet } from "../tools/verbs.js";
import type { Agent } from "./agent.js";

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

/**
 * Rejects with what the provider threw, unchanged, with what ended the run among its tool calls, or with `AgentError`
 * `aborted` as soon as `signal` fires.
 */
export async function runAgent(
  agent: Agent,
  goal: string,
  signal: AbortSignal,
  verbs: VerbBodies | undefined,
  log: EventLog,
  store: RuntimeMemory,
  ports: Pick<Ports, "timer">,
): Promise<RunResult> {
  assertNotAborted(signal);
  const budget = createBudget(agent.budget);
  const history: LlmMessage[] = [
    seal({ role: "system", content: agent.systemPrompt }),
    seal({ role: "user", content: goal }),
  ];
  const memory = bindMemory(store, log.runId, agent.id);
  const context: CustomToolContext = {
    signal,
    agentId: agent.id,
    pluck: bindVerbs(verbs, { signal, agentId: agent.id, memory }),
    memory,
  };
  let turn = -1;
  let isOver = false;
  const emit = (turnIndex: number, body: EventBody, detail?: EventDetail) => {
    if (isOver) return;
    turn = turnIndex;
    log.append(agent.id, turnIndex, body, detail);
  };
  const end = (stop: LoopStop["kind"] | "failed") => {
    emit(turn, { type: "run-end", stop });
    isOver = true;
  };
  const { provider, tools, settings, timeoutMs, streaming, onToolError, maxCorrections, policies } = agent;
  const optional = {
    ...(settings === undefined ? {} : { settings }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(streaming === undefined ? {} : { streaming }),
    ...(onToolError === undefined ? {} : { onToolError }),
    ...(maxCorrections === undefined ? {} : { maxCorrections }),
    ...(policies === undefined ? {} : { policies }),
  };

  emit(-1, { type: "run-start", goal });
  try {
    const loop = runLoop({ provider, tools, ...optional, budget, context, ports, emit, history });
    const stop = await untilAborted(signal, loop);
    end(stop.kind);
    return toResult(agent.id, stop, budget, history, log);
  } catch (error) {
    end("failed");
    throw error;
  }
}

/** As `work` settles, or at once when `signal` fires: a tool that does not heed its signal must not hold the run. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(abortError(signal));
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
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

function bindVerbs(verbs: VerbBodies | undefined, context: VerbContext): VerbSet {
  const bind = (name: VerbName) => async (args: Parameters<VerbSet[VerbName]>[0]) => {
    assertNotAborted(context.signal);
    const body = verbs?.[name];
    if (typeof body !== "function") {
      throw new AgentError("capability-missing", `the runtime has no body for ${name}`, {
        hint: `Pass \`verbs\` with ${name} to createRuntime.`,
      });
    }
    return body(args, context);
  };
  return Object.fromEntries(VERB_NAMES.map((name) => [name, bind(name)])) as VerbSet;
}
