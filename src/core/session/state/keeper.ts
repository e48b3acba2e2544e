// The contract for keeping the runs of a session. A turn knows only this contract. With a snapshot store, a turn lives in one process.
// With an execution host, its steps are stored too, so another process can continue it.

import type { AgentError } from "../../errors.js";
import type { JsonValue } from "../../canon/value.js";
import type { Journal } from "../../loop/journal.js";
import type { BudgetSpent } from "../../loop/budget.js";
import type { LlmMessage, LlmToolCall } from "../../model/message.js";
import type { Maybe } from "../../time/wait.js";
import type { Placement, SessionEvent } from "../event.js";
import type { UserInput } from "../input.js";
import type { RunOutcome } from "../run/run.js";
import type { SessionState } from "./snapshot.js";

/** Where a run of a subagent comes from. */
export interface RunOrigin {
  readonly kind: "subagent" | "background-subagent";
  readonly parentRunId: string;
  readonly parentSessionKey: string;
  /** The public id of the call that delegates. */
  readonly callId: string;
  /** The names of the subagents from the top-level agent on. */
  readonly path: readonly string[];
  readonly taskId?: string;
}

/** A run as the keeper knows it. */
export interface KeptRun {
  readonly runId: string;
  readonly sessionKey: string;
  readonly input: UserInput;
  /** The input reaches the session by itself, and nobody accepted it before. */
  readonly isNotification?: boolean;
  readonly origin?: RunOrigin;
}

/** A turn that may begin or continue. */
export interface BegunTurn {
  /** The state that the turn starts from. It is not changed. */
  readonly state: SessionState;
  /** Present if another process stopped in this turn. */
  readonly resumed?: ResumedTurn;
  readonly journal?: Journal;
}

/** A run that another process works on, or that is over. */
export interface FollowedRun {
  /** Its stored events, until it is over. */
  readonly events: AsyncIterable<{ readonly event: SessionEvent }>;
  readonly outcome: () => Promise<RunOutcome>;
}

/** What a keeper may do to a turn. */
export interface TurnControl {
  /** Fires when the turn is aborted. */
  readonly signal: AbortSignal;
  /** Ends the turn. With a reason whose code is not `aborted` it ends as a failure. */
  readonly abort: (reason: AgentError) => void;
  /** The public id of a call. */
  callId(turnIndex: number, callIndex: number, id: string): string;
  /** What the session knows of its subagents now. */
  children(): JsonValue | undefined;
  /** A function answers: its calls have run, and its answers count once their step has ended. */
  readonly isFunction: boolean;
}

/** Where a turn continues. */
export interface ResumedTurn {
  /** The messages of the turn so far, its user message first. Results of `pendingCalls` are left out. */
  readonly messages: readonly LlmMessage[];
  /** The calls of the last message whose results are not all stored. `[]`: the model is called next. */
  readonly pendingCalls: readonly LlmToolCall[];
  /** The budget as it was stored, before `pendingCalls` took from it. */
  readonly spent: BudgetSpent;
  /** The index of the step that each answer of `messages` belongs to, in order. */
  readonly steps: readonly number[];
  /** How many steps have ended. */
  readonly ended: number;
  /** `answer`: the end of the last step was not told. `begun`: the beginning of the next one was. `between`: neither. */
  readonly place: "answer" | "begun" | "between";
}

export type TurnEnding =
  { readonly status: "completed" | "aborted" } | { readonly status: "error"; readonly error: AgentError };

/** A turn that is over. */
export interface TurnEnd {
  readonly ending: TurnEnding;
  /** What the session is from now on: after a failure the state of the turn's start with its count. Undefined: it stays as it is. */
  readonly state: SessionState | undefined;
  /** The last events of the run. */
  readonly last: readonly SessionEvent[];
  readonly outcome: RunOutcome;
  /** Events of the turn that are not stored yet are dropped. */
  readonly isBare?: true;
}

/** Why a turn stops that is not over. `error`: what keeps it from going on. */
export type Leaving =
  | { readonly kind: "between-steps"; readonly spent: BudgetSpent }
  | { readonly kind: "cut-off"; readonly error?: AgentError };

/** A message that the turn appended, which is stored with the next checkpoint. */
export type AppendedMessage =
  | { readonly kind: "input"; readonly message: LlmMessage }
  | { readonly kind: "answer"; readonly message: LlmMessage; readonly turnIndex: number };

export interface RunKeeper {
  /**
   * Makes an accepted input durable. `send` resolves after it. Resolves to the id of the run, which is another one where the call of its
   * origin has a run already. Undefined: there is nothing to do.
   */
  accept?(run: KeptRun): Promise<string>;
  /** Cancels an accepted run that has not begun. */
  discard?(run: KeptRun): Promise<void>;
  /** Waits until the run may begin. */
  begin(run: KeptRun, control: TurnControl): Maybe<BegunTurn | FollowedRun>;
  /** Notes a message that enters the history. Results of tools come by the journal. */
  appended?(run: KeptRun, message: AppendedMessage): void;
  /** Notes an event of the turn, including live-only ones, but not the last events. */
  told?(run: KeptRun, event: SessionEvent): void;
  /** Called when the inputs of a place are appended, before anything builds on them. */
  reached?(run: KeptRun, placement: Placement, spent: BudgetSpent): Maybe<void>;
  /** Called with a final answer, before the end of its step is told. */
  answered?(run: KeptRun, spent: BudgetSpent): Maybe<void>;
  /**
   * Ends the run. "conflict": someone else stored a newer state, and nothing was kept. Then the run is ended a second time, as a
   * failure. "cancelled": someone cancelled the run before, and nothing was kept.
   */
  end(run: KeptRun, end: TurnEnd): Maybe<"kept" | "conflict" | "cancelled">;
  /** Gives a run back that is not over. Undefined: turns cannot be given back. */
  suspend?(run: KeptRun, leaving: Leaving): Maybe<void>;
  /** Resolves once no tool of the run is running. */
  quiet?(run: KeptRun): Promise<void>;
  /** Cancels every open run of the session and of its children before anything is aborted. */
  cancel(sessionKey: string): Maybe<void>;
  /** The state of a session that has no turn. */
  read(sessionKey: string): Maybe<SessionState>;
  /** Removes the session's state and whatever waits for it. */
  remove(sessionKey: string): Maybe<void>;
  /** Drops the in-memory data of the session. */
  drop(sessionKey: string): void;
}
