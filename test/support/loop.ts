// One run of the loop with defaults for everything that a test does not care about.

import { defined } from "../../src/core/defined.js";
import type { EventBody, EventDetail } from "../../src/core/events/event.js";
import { createBudget, type Budget, type BudgetLimits } from "../../src/core/loop/budget.js";
import { Pacer, type RunReceipts } from "../../src/core/loop/run-control.js";
import { runLoop, type LoopInput, type LoopStop } from "../../src/core/loop/loop.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmProviderAdapter } from "../../src/core/model/provider.js";
import { systemPorts, type Ports } from "../../src/core/ports.js";
import { scriptedProvider, type ScriptStep } from "../../src/core/providers/scripted.js";
import { createToolSet } from "../../src/core/tools/registry.js";
import type { CustomTool, ToolSurroundings } from "../../src/core/tools/tool.js";

type Own = "onToolError" | "maxCorrections" | "policies";
type Extensions = "boundary" | "prepare" | "journal" | "pendingCalls" | "runId" | "callIds" | "settings" | "timeoutMs";

export interface LoopCase extends Pick<LoopInput, Own | Extensions> {
  provider?: LlmProviderAdapter;
  steps?: readonly ScriptStep[];
  tools?: readonly CustomTool[];
  limits?: BudgetLimits;
  streaming?: boolean;
  signal?: AbortSignal;
  ports?: Pick<Ports, "timer">;
  toolTimeoutMs?: number;
  receipts?: RunReceipts;
  onDetail?: (detail: EventDetail | undefined) => void;
  /** Replaces a new one with `limits`. */
  budget?: Budget;
  /** Replaces a conversation with one message, and is changed by the run. */
  history?: LlmMessage[];
}

export interface LoopRun {
  stop: LoopStop | undefined;
  error: unknown;
  history: LlmMessage[];
  /** Every event with its turn. */
  events: (EventBody & { turn: number })[];
}

export async function playLoop(play: LoopCase): Promise<LoopRun> {
  const {
    provider,
    steps = [],
    tools = [],
    limits = {},
    streaming,
    signal,
    ports,
    toolTimeoutMs,
    receipts,
    onDetail,
    history,
    ...rest
  } = play;
  const run: LoopRun = {
    stop: undefined,
    error: undefined,
    history: history ?? [{ role: "user", content: "go" }],
    events: [],
  };
  const context: ToolSurroundings = {
    signal: signal ?? new AbortController().signal,
    agentId: "a",
    pluck: {} as ToolSurroundings["pluck"],
    memory: {} as ToolSurroundings["memory"],
  };
  try {
    run.stop = await runLoop({
      provider: provider ?? scriptedProvider(steps),
      tools: createToolSet(
        "a",
        { customTools: tools, ...(toolTimeoutMs === undefined ? {} : { toolTimeoutMs }) },
        undefined,
      ),
      ...(streaming === undefined ? {} : { streaming }),
      budget: createBudget(limits),
      ...rest,
      context,
      ports: ports ?? systemPorts,
      control: { pacer: new Pacer(ports ?? systemPorts), closeCalls: undefined, ...defined({ receipts }) },
      emit(turn, body, detail) {
        run.events.push({ turn, ...body });
        onDetail?.(detail);
      },
      history: run.history,
    });
  } catch (error) {
    run.error = error;
  }
  return run;
}

/** The tool messages of a conversation as `id: content`. */
export function toolResults(history: readonly LlmMessage[]): string[] {
  return history.flatMap((message) => (message.role === "tool" ? [`${message.toolCallId}: ${message.content}`] : []));
}

/** A promise and the function that resolves it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
