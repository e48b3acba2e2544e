// The parts of a turn for subagents and their jobs. A turn without them has no seams.

import type { JsonValue } from "../../canon/value.js";
import type { AgentError } from "../../errors.js";
import type { Journal } from "../../loop/journal.js";
import type { Maybe } from "../../time/wait.js";
import type { ToolSet } from "../../tools/registry.js";
import type { Placement, SessionEvent } from "../event.js";
import type { ReadInput } from "../input.js";
import type { TurnEnding } from "../state/keeper.js";
import type { SessionState } from "../state/snapshot.js";

/** A turn as its seams see it. */
export interface TurnSeat {
  readonly runId: string;
  readonly sessionKey: string;
  /** The index of the step under way. */
  step(): number;
  /** The number of the turn in its session, from 1. */
  readonly seq: number;
  /** Fires when the turn is aborted. */
  readonly signal: AbortSignal;
  /** Adds an event to the run. Call it while a tool runs, or in `arrive`. */
  tell(event: SessionEvent): void;
  /** The public id of a call. */
  callId(turnIndex: number, callIndex: number, id: string): string;
  /** Ends the turn with an error. */
  fail(error: AgentError): void;
  /** Cuts the turn off, to go on later from what is stored of it. */
  leave(): void;
}

/** A place at which input may arrive. `step` counts from 0, and is -1 at `turn-start`. */
export interface ArrivalPlace {
  readonly placement: Placement;
  readonly step: number;
}

/** An input that enters by itself. `entered` is called when it is part of the history. */
export interface ArrivedInput extends ReadInput {
  readonly entered?: () => void;
}

export interface TurnSeams {
  /** The tools of this turn, the agent's own among them. */
  readonly tools?: ToolSet;
  /** Sees the calls of each batch, around the journal of the keeper. */
  readonly journal?: (own: Journal | undefined) => Journal;
  /** Asked at each place, once the consumer has gone on: the inputs that enter there, in order. */
  arrive?(place: ArrivalPlace): Maybe<readonly ArrivedInput[]>;
  /** Called when a step is whole: an interrupt from now on keeps it. */
  stepEnded?(): void;
  /** What the snapshot holds as `children`. `whole`: without a step that was cut off. */
  children?(only: "all" | "whole"): JsonValue | undefined;
  /** Called once the turn is over. `isKept`: its work is part of the session. */
  ended?(ending: TurnEnding, isKept: boolean): Maybe<void>;
}

export type OpenSeams = (seat: TurnSeat, state: SessionState) => Maybe<TurnSeams>;
