// The one loop: it runs turns until the model calls no tool or a cap is reached. It knows no session, graph, store or transport.

import { AgentError } from "../errors.js";
import type { EventBody, EventDetail } from "../events/event.js";
import type { BudgetCap } from "./budget.js";
import { runTurn, type TurnInput, type TurnOutcome } from "./turn.js";

export interface LoopInput extends Omit<TurnInput, "emit"> {
  /** `turnIndex` counts the turns of `budget` from 0, and goes on if an agent is entered again. */
  readonly emit: (turnIndex: number, body: EventBody, detail?: EventDetail) => void;
  /** Turns in a row that may ask only for refused calls. One more ends the run. Default: any number. */
  readonly maxCorrections?: number;
}

export type LoopStop = { kind: "finished"; finalAnswer: string } | { kind: "budget"; cap: BudgetCap };

/** Both ends are normal stops. Rejects with the provider's error, `aborted`, `receipt-failed`, a `ToolPolicyError` or `tool-failed`. */
export async function runLoop(input: LoopInput): Promise<LoopStop> {
  const { maxCorrections = Infinity } = input;
  let corrections = 0;
  let turnIndex = input.budget.turns;
  const turn: TurnInput = { ...input, emit: (body, detail) => input.emit(turnIndex, body, detail) };
  input.budget.beginConversation();
  for (; ; turnIndex++) {
    const pause = input.control.pacer.step();
    if (pause !== undefined) await pause;
    const outcome = await takeTurn(turn);
    switch (outcome.kind) {
      case "continue":
        corrections = outcome.refused ? corrections + 1 : 0;
        if (corrections <= maxCorrections) continue;
        input.emit(turnIndex, { type: "corrections-exhausted", limit: maxCorrections });
        throw uncorrected(corrections);
      case "finished":
        return outcome;
      case "budget":
        input.emit(turnIndex, { type: "budget-exhausted", cap: outcome.cap, limit: input.budget.limitOf(outcome.cap) });
        return outcome;
    }
  }
}

function takeTurn(turn: TurnInput): TurnOutcome | Promise<TurnOutcome> {
  turn.control.receipts?.assertWhole();
  const cap = turn.budget.takeTurn(turn.history, turn.tools.definitions);
  if (cap !== undefined) return { kind: "budget", cap };
  turn.emit(TURN_START);
  return runTurn(turn);
}

const TURN_START: EventBody = Object.freeze({ type: "turn-start" });

/** Not retryable: the same model with the same tools would make the same calls again, at the same price. */
function uncorrected(turns: number): AgentError {
  const row = turns === 1 ? "a turn" : `${turns} turns in a row`;
  return new AgentError("tool-failed", `the model made only refused tool calls in ${row}`, {
    hint: "See the events tool-rejected and tool-failed for the calls, or raise maxCorrections.",
  });
}
