// Adapts an agent with sessions to the shape of a runtime, for example as a member of a fleet or in a test.

import { toHex } from "../canon/bytes.js";
import { AgentError, invalidOptions } from "../errors.js";
import { assertKnownOptions } from "../options.js";
import { systemPorts } from "../ports.js";
import { link } from "../runtime/link.js";
import type { RunResult } from "../runtime/run-plan.js";
import type { AgentRuntime, RunOptions } from "../runtime/runtime.js";
import { showValue } from "../text/show.js";
import type { Agent } from "./agent.js";
import { Run } from "./run/run.js";

/**
 * The agent as a runtime. `run({ goal })` is one `send` to a new session, which is deleted afterwards. It rejects with the error of the
 * turn, or with `aborted`. `events` is empty: pass `onEvent` to the agent. `destroy` closes the agent.
 */
export function toRuntime(agent: Agent): AgentRuntime {
  return {
    get receipts() {
      return agent.receipts;
    },
    run: async (options) => runOnce(agent, options),
    destroy: () => agent.close(),
  };
}

async function runOnce(agent: Agent, options: RunOptions): Promise<RunResult> {
  assertKnownOptions("run", options, ["goal", "signal"]);
  const { goal, signal } = options;
  if (typeof goal !== "string") throw invalidOptions(`run has the goal ${showValue(goal)}`, "Pass a string.");
  const session = agent.session(`run:${toHex(systemPorts.randomBytes(16))}`);
  const ends = new AbortController();
  const unlink = link(signal, ends);
  try {
    ends.signal.throwIfAborted();
    const run = await session.send(goal);
    ends.signal.addEventListener("abort", () => session.interrupt(), { once: true });
    if (ends.signal.aborted) session.interrupt();
    const { status, text, stop, error, steps, toolCalls, usage } = await run.result();
    if (error !== undefined) throw error;
    if (status !== "completed") throw new AgentError("aborted", "the run was aborted", { cause: signal?.reason });
    const visit = {
      agentId: agent.name ?? "agent",
      finalAnswer: text,
      ...(stop === undefined ? {} : { budgetExhausted: stop.limit }),
      turns: steps,
      toolCalls,
      usage,
      messages: Run.messagesOf(run),
    };
    const { runId } = run;
    return { ...visit, runId, visits: [visit], ended: { kind: "exit" }, shared: {}, events: [], droppedEvents: 0 };
  } finally {
    unlink();
    // A closed agent has nothing left to delete.
    await session.delete().catch(() => undefined);
  }
}
