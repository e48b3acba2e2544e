// How a face takes part in the one loop: the loop calls it at three places of each turn, and it may ask the model an aside.

import type { EventBody, EventDetail } from "../events/event.js";
import type { LlmMessage, LlmToolCall } from "../model/message.js";
import type { LlmSettings, LlmTurnResponse } from "../model/provider.js";
import type { Maybe } from "../time/wait.js";
import type { ToolSet } from "../tools/registry.js";
import type { BudgetCap } from "./budget.js";
import { runTurn, type TurnInput, type TurnOutcome } from "./turn.js";

export interface LoopInput extends Omit<TurnInput, "emit"> {
  /** `turnIndex` counts the turns of `budget` from 0, and goes on if an agent is entered again. */
  readonly emit: (turnIndex: number, body: EventBody, detail?: EventDetail) => void;
  /** Turns in a row that may ask only for refused calls. One more ends the run. Default: any number. */
  readonly maxCorrections?: number;
  readonly boundary?: Boundary;
  /** Given: the conversation goes on, and keeps its estimate. The loop begins with these calls of the last message, if there are any. */
  readonly pendingCalls?: readonly LlmToolCall[];
}

export type LoopStop =
  | { kind: "finished"; finalAnswer: string }
  | { kind: "budget"; cap: BudgetCap }
  /** The boundary stopped the loop. */
  | { kind: "stopped"; at: BoundaryPlace["at"]; reason: string };

/**
 * Asked at each place of a turn. A promise is awaited without a time limit, until the run is aborted. While it is awaited, and at no
 * other time, `loop.history` may be changed, by whole steps of sealed messages. What it throws ends the run.
 */
export type Boundary = (place: BoundaryPlace) => Maybe<BoundaryDecision | undefined>;

/** `loop` is the object that `runLoop` was given. */
export type BoundaryPlace = { readonly turnIndex: number; readonly loop: LoopInput } & (
  | { /** Before the cap of the turn is asked. */ readonly at: "before" }
  | { /** The turn is counted, and nothing is sent yet. */ readonly at: "begin" }
  | {
      /** The turn was answered and its calls have their results, before the loop judges the outcome. */
      readonly at: "after";
      readonly outcome: TurnOutcome;
    }
);

export type BoundaryDecision =
  /** Messages that had been sent were replaced or removed. */
  | { readonly kind: "changed" }
  | { readonly kind: "stop"; readonly reason: string }
  /** One turn more after a final answer. */
  | { readonly kind: "continue"; readonly changed?: true };

export type AsideOutcome =
  { kind: "answered"; turnIndex: number; response: LlmTurnResponse } | { kind: "budget"; cap: BudgetCap };

const NO_TOOLS: ToolSet = { byName: new Map(), definitions: [] };

/**
 * Takes one turn with messages of its own, counted and logged like any other. It has no tools, so its calls are refused. Allowed at
 * `before` and `after`, and with no loop running. Rejects as the provider does, which must end the run.
 */
export async function askAside(
  loop: LoopInput,
  messages: readonly LlmMessage[],
  settings: LlmSettings = {},
): Promise<AsideOutcome> {
  const { provider, budget, context, ports, control, timeoutMs } = loop;
  control.receipts?.assertWhole();
  const turnIndex = budget.turns;
  let response: LlmTurnResponse | undefined;
  const emit: TurnInput["emit"] = (body, detail) => {
    if (detail?.kind === "turn") response = detail.response;
    loop.emit(turnIndex, body, detail);
  };
  const own = { provider, budget, context, ports, control, emit, settings, tools: NO_TOOLS, history: [...messages] };
  // Neither conversation is estimated by the tokens of the other.
  budget.beginConversation();
  try {
    const cap = budget.takeTurn(own.history, NO_TOOLS.definitions);
    if (cap !== undefined) return { kind: "budget", cap };
    emit({ type: "turn-start" });
    await runTurn(timeoutMs === undefined ? own : { ...own, timeoutMs });
  } finally {
    budget.beginConversation();
  }
  return { kind: "answered", turnIndex, response: response as LlmTurnResponse };
}
