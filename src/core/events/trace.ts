// The trace of a run in dotted names with the capability each belongs to: a projection of the event log, nothing of its own is
// stored. The names are a contract with whoever collects traces.

import type { AgentEvent, EventBody } from "./event.js";

/** The capability under which an event is reported. */
export type TraceCapability = "agent" | "agent:llm" | "agent:tool" | "agent:control" | "agent:policy";

/** Closed; collectors rely on the words. */
export type TraceName =
  | "agent.llm.turn"
  | "agent.llm.error"
  | "agent.tool.invoke"
  | "agent.tool.failed"
  | "agent.tool.rejected"
  | "agent.handoff.transition"
  | "agent.handoff.cycle"
  | "agent.budget.exhausted"
  | "agent.provider.destroy.failed";

/** An event under its dotted name; made by {@link toTraceEvent}. */
export interface TraceEvent {
  readonly name: TraceName;
  readonly capability: TraceCapability;
  /** The event's stamp: traces of one runtime sort by it as text. */
  readonly hlc: string;
  /** "" for what belongs to no run. */
  readonly runId: string;
  readonly agentId: string;
  /** -1 before the first turn. */
  readonly turnIndex: number;
  /** The fields of the event's body, as they stand in the log. Holds prompts' consequences in clear: results, messages, names. */
  readonly payload: Readonly<Record<string, unknown>>;
}

type Traced = readonly [name: TraceName, capability: TraceCapability];

/**
 * The trace of one event, or undefined for one that has no name there: starts and ends, deltas, a call before its outcome
 * (`tool-call`), a policy's doing (`tool-denied`, `tool-policy`) and `corrections-exhausted`, which is no budget.
 * `agent.tool.failed` covers refused arguments too, with `tool` and `field`; `agent.tool.invoke` is a call that succeeded.
 */
export function toTraceEvent(event: AgentEvent): TraceEvent | undefined {
  const traced = traceOf(event.type);
  if (traced === undefined) return undefined;
  const [name, capability] = traced;
  const { type: _type, seq: _seq, at: _at, hlc, runId, agentId, turnIndex, ...payload } = event;
  return { name, capability, hlc, runId, agentId, turnIndex, payload };
}

function traceOf(type: EventBody["type"]): Traced | undefined {
  switch (type) {
    case "llm-turn":
      return ["agent.llm.turn", "agent:llm"];
    case "llm-error":
      return ["agent.llm.error", "agent:llm"];
    case "tool-result":
      return ["agent.tool.invoke", "agent:tool"];
    case "tool-failed":
      return ["agent.tool.failed", "agent:tool"];
    case "tool-rejected":
      return ["agent.tool.rejected", "agent:tool"];
    case "handoff":
      return ["agent.handoff.transition", "agent:control"];
    case "handoff-cycle":
      return ["agent.handoff.cycle", "agent:control"];
    case "budget-exhausted":
      return ["agent.budget.exhausted", "agent:policy"];
    case "provider-destroy-failed":
      return ["agent.provider.destroy.failed", "agent"];
    case "run-start":
    case "turn-start":
    case "llm-delta":
    case "tool-call":
    case "tool-denied":
    case "tool-interrupted":
    case "tool-skipped":
    case "tool-policy":
    case "corrections-exhausted":
    case "run-end":
      return undefined;
  }
}
