// The trace of a run: events of the log under dotted names, each with its capability. Collectors rely on the names.

import type { AgentEvent, EventBody } from "./event.js";

export type TraceCapability = "agent" | "agent:llm" | "agent:tool" | "agent:control" | "agent:policy";

/** The dotted names of traced events, a closed set. */
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

/** An event under its dotted name. Created by {@link toTraceEvent}. */
export interface TraceEvent {
  readonly name: TraceName;
  readonly capability: TraceCapability;
  /** The event's timestamp from the hybrid logical clock. Sorting traces of one runtime by this text gives their order. */
  readonly hlc: string;
  /** Id of the run. "" for an event outside any run. */
  readonly runId: string;
  readonly agentId: string;
  /** -1 before the first turn. */
  readonly turnIndex: number;
  /** The fields of the event's body as in the log. Results, messages and names are in clear text. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Every event type. One without a name is not traced. */
const TRACED: Readonly<Record<EventBody["type"], readonly [TraceName, TraceCapability] | undefined>> = {
  "llm-turn": ["agent.llm.turn", "agent:llm"],
  "llm-error": ["agent.llm.error", "agent:llm"],
  "tool-result": ["agent.tool.invoke", "agent:tool"],
  "tool-failed": ["agent.tool.failed", "agent:tool"],
  "tool-rejected": ["agent.tool.rejected", "agent:tool"],
  handoff: ["agent.handoff.transition", "agent:control"],
  "handoff-cycle": ["agent.handoff.cycle", "agent:control"],
  "budget-exhausted": ["agent.budget.exhausted", "agent:policy"],
  "provider-destroy-failed": ["agent.provider.destroy.failed", "agent"],
  "run-start": undefined,
  "turn-start": undefined,
  "llm-delta": undefined,
  "tool-call": undefined,
  "tool-denied": undefined,
  "tool-interrupted": undefined,
  "tool-skipped": undefined,
  "tool-policy": undefined,
  "corrections-exhausted": undefined,
  "run-end": undefined,
};

/**
 * Converts an event to its trace. Returns undefined for starts and ends, deltas, a call before its outcome (`tool-call`), a policy's
 * decision (`tool-denied`, `tool-policy`) and `corrections-exhausted`. `agent.tool.invoke` is a successful call. `agent.tool.failed` also
 * covers refused arguments, with `tool` and `field`.
 */
export function toTraceEvent(event: AgentEvent): TraceEvent | undefined {
  const traced = TRACED[event.type];
  if (traced === undefined) return undefined;
  const [name, capability] = traced;
  const { type: _type, seq: _seq, at: _at, hlc, runId, agentId, turnIndex, ...payload } = event;
  return { name, capability, hlc, runId, agentId, turnIndex, payload };
}
