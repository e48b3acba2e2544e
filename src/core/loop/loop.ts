// The one loop: turns until the model asks for no tool, or a cap is reached. It knows no session, no graph, no store and no
// transport; every face of the runtime drives this one.

import type { EventBody } from "../events/event.js";
import type { BudgetCap } from "./budget.js";
import { runTurn, type TurnInput, type TurnOutcome } from "./turn.js";

export interface LoopInput extends Omit<TurnInput, "emit"> {
  /** `turnIndex` counts from 0. */
  readonly emit: (turnIndex: number, body: EventBody) => void;
}

export type LoopStop = { kind: "finished"; finalAnswer: string } | { kind: "budget"; cap: BudgetCap };

/** Rejects with what the provider threw, or with `AgentError` `aborted`; a cap that is reached is a normal stop. */
export async function runLoop(input: LoopInput): Promise<LoopStop> {
  for (let turnIndex = 0; ; turnIndex++) {
    const outcome = await takeTurn(turnIndex, input);
    switch (outcome.kind) {
      case "continue":
        continue;
      case "finished":
        return outcome;
      case "budget":
        input.emit(turnIndex, { type: "budget-exhausted", cap: outcome.cap, limit: input.budget.limitOf(outcome.cap) });
        return outcome;
    }
  }
}

async function takeTurn(turnIndex: number, input: LoopInput): Promise<TurnOutcome> {
  const cap = input.budget.takeTurn();
  if (cap !== undefined) return { kind: "budget", cap };
  const emit = (body: EventBody) => input.emit(turnIndex, body);
  emit({ type: "turn-start" });
  return runTurn({ ...input, emit });
}
