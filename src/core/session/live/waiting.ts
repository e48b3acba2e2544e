// An input that was accepted and waits for its turn.

import type { SessionEvent } from "../event.js";
import type { RunOutcome } from "../run/run.js";
import { NO_OUTCOME } from "../turn/ending.js";
import type { TurnOrder } from "../turn/order.js";

export type Accepted = Pick<
  TurnOrder,
  "run" | "read" | "isTold" | "isNotification" | "brings" | "asked" | "hold" | "maxSteps"
>;

/** Ends a run that is aborted before its turn began. */
export function endUnbegun(accepted: Accepted): void {
  endWaiting(accepted, { type: "turn-abort" }, { ...NO_OUTCOME, status: "aborted" });
}

export function endWaiting({ run, read, isTold }: Accepted, last: SessionEvent, outcome: RunOutcome): void {
  if (!isTold) run.tell(read.input);
  run.end(outcome, last);
}
