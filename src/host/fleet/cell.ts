// What a fleet tells of one cell: one target on one member. Plain JSON throughout, so that it can be stored and sent.

import {
  AgentError,
  defined,
  thrownText,
  type AgentErrorCode,
  type BudgetCap,
  type RunResult,
  type UsageTotal,
} from "../../core/index.js";

/** What is kept of a run. Conversation and events are not: a member's `onEvent` has them. */
export interface FleetResult {
  /** The agent that answered. */
  agentId: string;
  finalAnswer: string;
  budgetExhausted?: BudgetCap;
  turns: number;
  toolCalls: number;
  usage: UsageTotal;
}

/** Why a cell failed, as plain JSON. */
export interface FleetError {
  /** `unknown` for what is no `AgentError`. */
  code: AgentErrorCode | "unknown";
  /** 1,000 characters at most. */
  message: string;
  hint?: string;
  retryable: boolean;
}

interface Begun {
  member: string;
  target: string;
  /** How often a run was begun. 0 when the target's own `goal` function failed. */
  attempts: number;
  /** Milliseconds since the Unix epoch: when the cell was taken up, and when it was over. */
  startedAt: number;
  endedAt: number;
}

/** What came of one target on one member, by `status`. */
export type FleetCell =
  | (Begun & { status: "done"; result: FleetResult })
  /** A cell that was running when the fleet was aborted is one of these, with the code `aborted`. */
  | (Begun & { status: "failed"; error: FleetError })
  /** Never begun. No member where any could have taken it and none had. */
  | { status: "skipped"; target: string; member?: string; attempts: 0; reason: SkipReason };

/** Its target's breaker was open, or the fleet was aborted or destroyed before its turn. */
export type SkipReason = "breaker-open" | "aborted";

/** How many cells have each status; the three add up to `total` once a run is over. */
export interface FleetCounts {
  total: number;
  done: number;
  failed: number;
  skipped: number;
}

const MAX_MESSAGE = 1_000;

/** The part of a run's result that is kept. Throws for what is no result. */
export function toFleetResult(result: RunResult): FleetResult {
  const { agentId, finalAnswer, budgetExhausted, turns, toolCalls, usage } = result;
  return {
    agentId,
    finalAnswer,
    ...defined({ budgetExhausted }),
    turns,
    toolCalls,
    usage: { ...usage },
  };
}

/** Whatever was thrown, as data. Never throws. */
export function toFleetError(thrown: unknown): FleetError {
  try {
    const message = thrownText(thrown).slice(0, MAX_MESSAGE);
    if (!(thrown instanceof AgentError)) return { code: "unknown", message, retryable: false };
    const { code, hint, retryable } = thrown;
    return { code, message, ...defined({ hint }), retryable };
  } catch {
    return { code: "unknown", message: "something that has no text was thrown", retryable: false };
  }
}
