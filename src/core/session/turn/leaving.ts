// A turn that stops without being over: it goes on later, or in another process.

import type { LoopStop } from "../../loop/boundary.js";
import type { BudgetSpent } from "../../loop/budget.js";
import type { Run, RunOutcome } from "../run/run.js";
import { isLater } from "../state/ask-store.js";
import type { FollowedRun, KeptRun, Leaving, RunKeeper, TurnEnding } from "../state/keeper.js";
import { lastEvents, NO_OUTCOME, toAgentError } from "./ending.js";
import type { Talk } from "./talk.js";

/** Undefined for a turn that is over. */
export function leavingBy(
  ending: TurnEnding,
  stop: LoopStop | undefined,
  { isCutOff, spent }: { readonly isCutOff: boolean; readonly spent: BudgetSpent },
): Leaving | undefined {
  switch (ending.status) {
    case "completed":
      return stop?.kind === "stopped" ? { kind: "between-steps", spent } : undefined;
    case "aborted":
      return isCutOff ? { kind: "cut-off" } : undefined;
    case "error": {
      const { error } = ending;
      const isOpen = isLater(error) || error.code === "needs-recovery" || error.code === "lease-lost";
      return isOpen ? { kind: "cut-off", error } : undefined;
    }
  }
}

/** Gives a run back to its store. Never rejects. */
export async function release(
  keeper: RunKeeper,
  kept: KeptRun,
  leaving: Leaving,
  warn: (error: unknown) => void,
): Promise<void> {
  try {
    await keeper.suspend?.(kept, leaving);
  } catch (error) {
    warn(error);
  }
}

/** Ends the stream of a turn that stops. Nothing of the way it stops is stored. */
export function endLeft(run: Run, leaving: Leaving, talk: Talk, outcomeOf: (ending: TurnEnding) => RunOutcome): void {
  const error = leaving.kind === "cut-off" ? leaving.error : undefined;
  if (error === undefined) {
    run.end({ ...outcomeOf({ status: "completed" }), status: "suspended" });
    return;
  }
  const ending = { status: "error", error } as const;
  for (const event of lastEvents(ending, undefined, talk)) run.tell(event);
  run.end(outcomeOf(ending));
}

/** Tells what another process makes of a run, which does not have what this one was given. Never rejects. */
export async function follow(run: Run, { events, outcome }: FollowedRun, talk: Talk): Promise<RunOutcome> {
  try {
    for await (const { event } of events) run.tell(event);
    const ended = await outcome();
    return { ...ended, unapplied: [...ended.unapplied, ...talk.unapplied] };
  } catch (error) {
    return { ...NO_OUTCOME, status: "error", error: toAgentError(error), unapplied: talk.unapplied };
  }
}
