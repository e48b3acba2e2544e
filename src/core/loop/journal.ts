// What a host stores of the tool calls of a turn, so that a run that stopped between two calls goes on without repeating one.

import type { LlmToolCall } from "../model/message.js";
import type { Maybe } from "../time/wait.js";
import type { AnsweredOutcome } from "../tools/call.js";
import type { ToolRetryPolicy } from "../tools/tool.js";
import type { BudgetSpent } from "./budget.js";

type WithoutError<Outcome> = Outcome extends unknown ? Omit<Outcome, "error"> : never;

/** An outcome that the model reads, as plain JSON. */
export type StoredOutcome = WithoutError<AnsweredOutcome>;

/** The calls of one turn that are about to run. */
export interface JournalBatch {
  readonly turnIndex: number;
  /** True if the batch was begun before, by a run that stopped. */
  readonly resumed: boolean;
  /** The budget before the batch took its calls from it. */
  readonly spent: BudgetSpent;
  /** Without the calls that were refused or that the cap forbids. `callIndex` counts all calls of the turn. */
  readonly calls: readonly {
    readonly callIndex: number;
    readonly call: LlmToolCall;
    readonly retryPolicy: ToolRetryPolicy;
  }[];
}

/** Where a host keeps outcomes. What a method throws ends the run. An abort ends the wait for it, and not what it does. */
export interface Journal {
  /** Asked once for each turn with calls, before any of them runs. */
  begin(batch: JournalBatch): Maybe<void>;
  /** The outcome of an earlier run. Such a call asks no policy and runs no tool. */
  known(callIndex: number): StoredOutcome | undefined;
  /** How often the call has begun, this time included. Default 1. */
  attempt?(callIndex: number): number;
  /** Told before the model reads the outcome. Not for a denied call, nor for one that an abort cut off. */
  end(callIndex: number, outcome: StoredOutcome): Maybe<void>;
  /** Called for a denied call. The run ends with it once the other calls of the batch have ended. */
  denied?(callIndex: number): void;
}

export function toStored(outcome: AnsweredOutcome): StoredOutcome {
  if (outcome.kind !== "failed") return outcome;
  const { error, ...stored } = outcome;
  return stored;
}

/** The error itself is lost. Its message stands for it. */
export function fromStored(stored: StoredOutcome): AnsweredOutcome {
  return stored.kind === "failed" ? { ...stored, error: stored.message } : stored;
}
