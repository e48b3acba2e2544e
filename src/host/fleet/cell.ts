// The result of one cell of a fleet: one target on one member. It is plain JSON, so that it can be stored and sent.

import {
  AgentError,
  defined,
  thrownText,
  type AgentErrorCode,
  type BudgetCap,
  type RunResult,
  type UsageTotal,
} from "../../core/index.js";
import { MAX_CELL_MESSAGE_CHARACTERS } from "../limits.js";

/** The result of a run. A member's `onEvent` has the conversation and the events. */
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
  /** `unknown` for anything but an `AgentError`. `lost` if a shared cell lost its worker five times. */
  code: AgentErrorCode | "unknown" | "lost";
  /** 1,000 characters at most. */
  message: string;
  hint?: string;
  retryable: boolean;
}

interface Begun {
  member: string;
  target: string;
  /** The number of runs. 0 when the target's own `goal` function failed. */
  attempts: number;
  /** Milliseconds since the Unix epoch: when the cell began and ended. */
  startedAt: number;
  endedAt: number;
}

/** The result of one target on one member, by `status`. */
export type FleetCell =
  | (Begun & { status: "done"; result: FleetResult })
  /** Includes cells that were running when the fleet was aborted, with the code `aborted`. */
  | (Begun & { status: "failed"; error: FleetError })
  /** Never begun. `member` is absent if any member could have taken it. */
  | { status: "skipped"; target: string; member?: string; attempts: 0; reason: SkipReason };

/** Its target's breaker was open, the `limit` was reached, or the fleet was aborted, destroyed or cancelled before its turn. */
export type SkipReason = "breaker-open" | "aborted" | "budget";

/** The number of cells by status. The three add up to `total` when a run is over. */
export interface FleetCounts {
  total: number;
  done: number;
  failed: number;
  skipped: number;
}

/** Throws for anything but a result. */
export function toFleetResult(result: RunResult): FleetResult {
  const { agentId, finalAnswer, budgetExhausted, turns, toolCalls, usage } = result;
  return { agentId, finalAnswer, ...defined({ budgetExhausted }), turns, toolCalls, usage: { ...usage } };
}

/** Converts anything thrown to data. Never throws. */
export function toFleetError(thrown: unknown): FleetError {
  try {
    const message = thrownText(thrown).slice(0, MAX_CELL_MESSAGE_CHARACTERS);
    if (!(thrown instanceof AgentError)) return { code: "unknown", message, retryable: false };
    const { code, hint, retryable } = thrown;
    return { code, message, ...defined({ hint }), retryable };
  } catch {
    return { code: "unknown", message: "something that has no text was thrown", retryable: false };
  }
}
