// The turn core: drives one conversation of a vertex to its end and folds its facts into events. It does not know about runs, sessions or graphs.

import { AgentError } from "../errors.js";
import { defined } from "../defined.js";
import type { EventLog } from "../events/log.js";
import type { Boundary, LoopStop } from "../loop/boundary.js";
import { createBudget, type BudgetLimits } from "../loop/budget.js";
import { runLoop } from "../loop/loop.js";
import { Pacer, type RunControl } from "../loop/run-control.js";
import type { LlmMessage } from "../model/message.js";
import type { LlmProviderAdapter, LlmSettings, LlmTurnResponse, StopReason } from "../model/provider.js";
import type { UsageTotal } from "../model/usage.js";
import type { Ports } from "../ports.js";
import { untilAborted } from "../time/wait.js";
import { abortError, assertNotAborted } from "../tools/abort.js";
import type { ToolPolicy } from "../tools/policy-decision.js";
import type { ToolSet } from "../tools/registry.js";
import type { ToolSurroundings } from "../tools/tool.js";
import { withAttempts, type Heard } from "./attempts.js";
import type { NodeEventBody, NodeFact } from "./events.js";

/** The parts of one conversation. `messages` grows, and belongs to the caller. */
export interface AgentTurnInput {
  readonly nodeId: string;
  /** The model of the first choice. */
  readonly model: string;
  readonly messages: LlmMessage[];
  /** The granted tools. Their context's `agentId` is `nodeId`. */
  readonly tools: ToolSet;
  /** The chain, or its replacement. */
  readonly provider: LlmProviderAdapter;
  /** Receives the attempts of the chain. */
  readonly heard: Heard;
  /** Converts facts to events, in order. */
  readonly project: (fact: NodeFact) => NodeEventBody | undefined;
  readonly limits: BudgetLimits;
  readonly maxCorrections: number;
  readonly settings?: LlmSettings;
  readonly timeoutMs?: number;
  readonly policies?: readonly ToolPolicy[];
  readonly boundary?: Boundary;
  /** Called with each answer and the number of messages that it answers. */
  readonly onAnswer?: (response: LlmTurnResponse, messages: number) => void;
  readonly log?: EventLog;
  readonly emit: (event: NodeEventBody) => void;
  readonly signal: AbortSignal;
  readonly ports: Ports;
}

/** The end of a conversation. `model` answered last. `limit` is that of a cap that was reached. */
export interface AgentTurnEnd {
  readonly stop: LoopStop;
  readonly stopReason: StopReason | undefined;
  readonly usage: UsageTotal;
  readonly model: string;
  readonly limit?: number;
}

/** Rejects as the loop does, and with `aborted` as soon as the signal fires, even if a call hangs. */
export async function runAgentTurn(input: AgentTurnInput): Promise<AgentTurnEnd> {
  const { nodeId, messages, tools, heard, limits, maxCorrections, signal, ports, model, log } = input;
  const { settings, timeoutMs, policies, boundary } = input;
  const budget = createBudget(limits);
  const control: RunControl = { pacer: new Pacer(ports), closeCalls: undefined };
  let last: LlmTurnResponse | undefined;
  assertNotAborted(signal);
  const running = runLoop({
    ...{ provider: withAttempts(input.provider, heard, model), tools, budget, control, ports, maxCorrections },
    ...{ streaming: true, onToolError: "fail", history: messages, context: surroundings(nodeId, signal) },
    ...defined({ settings, timeoutMs, policies, boundary }),
    emit(turnIndex, body, detail) {
      if (detail?.kind === "turn") {
        last = detail.response;
        input.onAnswer?.(last, messages.length);
      }
      log?.append(nodeId, turnIndex, body, detail);
      const event = input.project(body);
      if (event !== undefined) input.emit(event);
    },
  });
  let stop: LoopStop;
  try {
    stop = await untilAborted(running, signal, abortError);
  } catch (error) {
    // Work that an abort leaves behind ends on its own.
    running.catch(() => undefined);
    control.closeCalls?.();
    throw error;
  }
  const limit = stop.kind === "budget" ? budget.limitOf(stop.cap) : undefined;
  return {
    stop,
    stopReason: last?.stopReason,
    usage: budget.usage,
    model: heard.model() ?? model,
    ...defined({ limit }),
  };
}

function surroundings(agentId: string, signal: AbortSignal): ToolSurroundings {
  return { agentId, signal, pluck: NONE, memory: NONE };
}

/** A registry receives neither verbs nor memory. */
const NONE = new Proxy({} as never, {
  get() {
    throw new AgentError("capability-missing", "a vertex has neither verbs nor memory for its tools");
  },
});
