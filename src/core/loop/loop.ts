// The one loop: it runs turns until the model calls no tool or a cap is reached. It knows no session, graph, store or transport.

import { AgentError } from "../errors.js";
import type { EventBody, EventDetail } from "../events/event.js";
import type { LlmToolCall } from "../model/message.js";
import { isThenable, type Maybe } from "../time/wait.js";
import { unlessAborted } from "../tools/abort.js";
import type { BoundaryDecision, BoundaryPlace, LoopInput, LoopStop } from "./boundary.js";
import type { BudgetCap } from "./budget.js";
import { runCalls } from "./calls.js";
import { runTurn, type TurnInput, type TurnOutcome } from "./turn.js";

export type { LoopInput, LoopStop } from "./boundary.js";

interface Progress {
  readonly input: LoopInput;
  readonly turn: TurnInput;
  turnIndex: number;
  /** Calls that an earlier run left without results. */
  pending: readonly LlmToolCall[] | undefined;
  corrections: number;
  /** The boundary wants a turn more after a final answer. */
  goesOn: boolean;
}

type Stopped = Extract<LoopStop, { kind: "stopped" }>;

/**
 * All ends are normal stops. Rejects with the provider's error, `aborted`, `receipt-failed`, a `ToolPolicyError`, `tool-failed`, or
 * what the boundary, the journal or `prepare` threw.
 */
export async function runLoop(input: LoopInput): Promise<LoopStop> {
  const run = start(input);
  const { boundary, control } = input;
  for (;;) {
    const pause = control.pacer.step();
    if (pause !== undefined) await pause;
    const outcome = await (boundary === undefined ? takeTurn(run) : takeBoundedTurn(run));
    if (outcome.kind === "stopped") return outcome;
    const stop = judge(run, outcome);
    if (stop !== undefined) return stop;
  }
}

function start(input: LoopInput): Progress {
  const { budget, pendingCalls, boundary, control } = input;
  if (pendingCalls === undefined) budget.beginConversation();
  const emit: TurnInput["emit"] =
    boundary === undefined || control.receipts === undefined
      ? (body, detail) => input.emit(run.turnIndex, body, detail)
      : (body, detail) => input.emit(run.turnIndex, body, snapshot(detail));
  const run: Progress = {
    input,
    turn: { ...input, emit },
    turnIndex: budget.turns,
    pending: pendingCalls?.length === 0 ? undefined : pendingCalls,
    corrections: 0,
    goesOn: false,
  };
  return run;
}

function takeTurn(run: Progress): TurnOutcome | Promise<TurnOutcome> {
  if (run.pending !== undefined) return finishTurn(run, run.pending);
  const cap = countTurn(run);
  if (cap !== undefined) return { kind: "budget", cap };
  run.turn.emit(TURN_START);
  return runTurn(run.turn);
}

/** The order of the places, the cap and the turn is the contract of every face. */
async function takeBoundedTurn(run: Progress): Promise<TurnOutcome | Stopped> {
  const { input, turn } = run;
  let outcome: TurnOutcome;
  if (run.pending !== undefined) {
    outcome = await finishTurn(run, run.pending);
  } else {
    const asked = ask(run, { at: "before", turnIndex: input.budget.turns, loop: input });
    const before = isThenable(asked) ? await asked : asked;
    if (before?.kind === "stop") return { kind: "stopped", at: "before", reason: before.reason };
    const cap = countTurn(run);
    if (cap !== undefined) return { kind: "budget", cap };
    const gate = ask(run, { at: "begin", turnIndex: run.turnIndex, loop: input });
    const begin = isThenable(gate) ? await gate : gate;
    if (begin?.kind === "stop") {
      input.budget.returnTurn();
      return { kind: "stopped", at: "begin", reason: begin.reason };
    }
    turn.emit(TURN_START);
    outcome = await runTurn(turn);
  }
  const told = ask(run, { at: "after", turnIndex: run.turnIndex, loop: input, outcome });
  const after = isThenable(told) ? await told : told;
  if (after?.kind === "stop") return { kind: "stopped", at: "after", reason: after.reason };
  run.goesOn = after?.kind === "continue";
  return outcome;
}

/** The turn was counted, answered and logged by the run that stopped. */
function finishTurn(run: Progress, calls: readonly LlmToolCall[]): Promise<TurnOutcome> {
  run.turnIndex = run.input.budget.turns - 1;
  run.pending = undefined;
  return runCalls(calls, run.turn, true);
}

function countTurn(run: Progress): BudgetCap | undefined {
  const { budget, control } = run.input;
  control.receipts?.assertWhole();
  // Read each time, since an aside counts as a turn too.
  run.turnIndex = budget.turns;
  return budget.takeTurn(run.turn.history, run.turn.tools.definitions);
}

function ask({ input }: Progress, place: BoundaryPlace): Maybe<BoundaryDecision | undefined> {
  const { boundary, context, budget } = input;
  const read = (decision: BoundaryDecision | undefined): BoundaryDecision | undefined => {
    // Nothing can follow a cap of tool calls.
    if (place.at === "after" && place.outcome.kind === "budget") return undefined;
    if (decision?.kind === "changed" || (decision?.kind === "continue" && decision.changed === true))
      budget.beginConversation();
    return decision;
  };
  const decision = unlessAborted(context.signal, () => boundary?.(place));
  return isThenable(decision) ? decision.then(read) : read(decision);
}

/** A boundary may change the conversation before a receipt of the turn is made. Nothing else reads it later. */
function snapshot(detail: EventDetail | undefined): EventDetail | undefined {
  if (detail?.kind !== "turn" || detail.messages === undefined) return detail;
  return { ...detail, messages: [...detail.messages] };
}

function judge(run: Progress, outcome: TurnOutcome): LoopStop | undefined {
  const { emit, budget, maxCorrections = Infinity } = run.input;
  switch (outcome.kind) {
    case "continue":
      run.corrections = outcome.refused ? run.corrections + 1 : 0;
      if (run.corrections <= maxCorrections) return undefined;
      emit(run.turnIndex, { type: "corrections-exhausted", limit: maxCorrections });
      throw uncorrected(run.corrections);
    case "finished":
      run.corrections = 0;
      return run.goesOn ? undefined : outcome;
    case "budget":
      emit(run.turnIndex, { type: "budget-exhausted", cap: outcome.cap, limit: budget.limitOf(outcome.cap) });
      return outcome;
  }
}

const TURN_START: EventBody = Object.freeze({ type: "turn-start" });

/** Not retryable: the same model with the same tools would make the same calls again, at the same price. */
function uncorrected(turns: number): AgentError {
  const row = turns === 1 ? "a turn" : `${turns} turns in a row`;
  return new AgentError("tool-failed", `the model made only refused tool calls in ${row}`, {
    hint: "See the events tool-rejected and tool-failed for the calls, or raise maxCorrections.",
  });
}
