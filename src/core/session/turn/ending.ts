// How a turn ends: the error it fails with, its last events and its result.

import { defined } from "../../defined.js";
import { AgentError } from "../../errors.js";
import type { BudgetCap } from "../../loop/budget.js";
import type { UsageTotal } from "../../model/usage.js";
import { lastWords } from "../../runtime/visit.js";
import { quoteForeign } from "../../text/mask.js";
import { isThrown, thrownText } from "../../text/thrown.js";
import type { Maybe } from "../../time/wait.js";
import type { SessionEvent, TurnStop } from "../event.js";
import type { RunOutcome } from "../run/run.js";
import { isLater } from "../state/ask-store.js";
import type { TurnEnd, TurnEnding } from "../state/keeper.js";
import type { SessionState } from "../state/snapshot.js";
import type { TurnOrder } from "./order.js";
import { toPreview } from "./overlay.js";
import type { TurnSeams } from "./seams.js";
import type { Talk } from "./talk.js";

/** The ending of a turn that threw. A reason of the abort whose code is not `aborted` is a failure. */
export function endingOf(error: unknown, signal: AbortSignal): TurnEnding {
  if (!signal.aborted) return { status: "error", error: toAgentError(error) };
  const reason: unknown = signal.reason;
  if (isThrown(reason, AgentError) && reason.code !== "aborted") return { status: "error", error: reason };
  return { status: "aborted" };
}

/** A turn fails with a Playhead error, even if a provider threw something else. */
export function toAgentError(error: unknown): AgentError {
  if (isThrown(error, AgentError)) return error;
  return new AgentError("provider-response", quoteForeign(thrownText(error)), { hint: "See `cause`.", cause: error });
}

export function conflictOf(sessionKey: string): AgentError {
  return new AgentError("session-conflict", `Session ${JSON.stringify(sessionKey)} commit conflict`, {
    hint: "Another process stored a newer state, which the next turn reads. Send the input again.",
    retryable: true,
  });
}

/** The outcome of a run of which nothing happened. */
export const NO_OUTCOME = {
  text: "",
  steps: 0,
  toolCalls: 0,
  usage: { inputTokens: 0, outputTokens: 0 },
  unapplied: [],
};

/** What is stored with an end: the session's new state and the last events, these events alone, or neither. */
export type EndExtent = "state" | "events" | "bare";

/**
 * Stores an end. A conflict or a failure of the store makes it another one. If the store refuses that too, `giveBack` returns the run, so
 * that this process does not hold it any longer.
 */
export async function storeEnd(
  sessionKey: string,
  ending: TurnEnding,
  store: (how: TurnEnding, extent: EndExtent) => Maybe<"kept" | "conflict" | "cancelled">,
  giveBack: () => Promise<void>,
): Promise<TurnEnding | "cancelled"> {
  try {
    const kept = await store(ending, "state");
    if (kept === "kept") return ending;
    if (kept === "cancelled") return kept;
    const conflict: TurnEnding = { status: "error", error: conflictOf(sessionKey) };
    await store(conflict, "events");
    return conflict;
  } catch (error) {
    const failed = { status: "error", error: toAgentError(error) } as const;
    // A state, events or an output may be too large for the store. A bare end is not.
    if (!isLater(failed.error) && failed.error.code !== "lease-lost") await storeFailed(failed);
    return failed;
  }

  async function storeFailed(failed: TurnEnding): Promise<void> {
    try {
      await store(failed, "bare");
    } catch {
      await giveBack();
    }
  }
}

/** What the session keeps of a turn that began with `state`. */
export function stateAfter(
  { status }: TurnEnding,
  state: SessionState,
  { order, talk, seams }: { readonly order: TurnOrder; readonly talk: Talk; readonly seams: TurnSeams },
): SessionState {
  const seq = state.seq + 1;
  if (status === "error") return { ...state, seq };
  const { read, isNotification = false } = order;
  if (!talk.hasBegun && !isNotification) talk.append(read.message);
  const only = status === "completed" ? "all" : "whole";
  const children = seams.children === undefined ? state.children : seams.children(only);
  return { history: talk.kept(only), seq, ...defined({ children }) };
}

/** The events behind the last step: the end of each overlay, and of the turn. */
export function lastEvents(ending: TurnEnding, cap: BudgetCap | undefined, talk: Talk): readonly SessionEvent[] {
  const expired = talk.overlays.taken.map((overlay): SessionEvent => ({
    type: "overlay-expired",
    placement: overlay.placement,
    input: toPreview(overlay),
  }));
  return [...expired, terminalEvent(ending, cap, talk.unapplied)];
}

type EndParts = Parameters<typeof stateAfter>[2] & {
  readonly from: SessionState | undefined;
  readonly cap: BudgetCap | undefined;
  readonly outcome: RunOutcome;
};

export function endAs(ending: TurnEnding, extent: EndExtent, { from, cap, outcome, ...parts }: EndParts): TurnEnd {
  if (extent === "bare") {
    const last = [terminalEvent(ending, undefined, [])];
    return { ending, state: undefined, last, outcome: { ...outcome, text: "", unapplied: [] }, isBare: true };
  }
  const state = extent === "state" && from !== undefined ? stateAfter(ending, from, parts) : undefined;
  return { ending, state, last: lastEvents(ending, cap, parts.talk), outcome };
}

function terminalEvent(ending: TurnEnding, cap: BudgetCap | undefined, inputs: RunOutcome["unapplied"]): SessionEvent {
  const unapplied = inputs.length === 0 ? {} : { unapplied: inputs };
  switch (ending.status) {
    case "completed":
      return { type: "turn-end", ...stopOf(cap), ...unapplied };
    case "aborted":
      return { type: "turn-abort", ...unapplied };
    case "error": {
      const { message, code, retryable } = ending.error;
      return { type: "turn-error", message, code, retryable, ...unapplied };
    }
  }
}

export function outcomeOf(
  ending: TurnEnding,
  cap: BudgetCap | undefined,
  talk: Talk,
  used: { readonly steps: number; readonly toolCalls: number; readonly usage: UsageTotal },
): RunOutcome {
  const error = ending.status === "error" ? { error: ending.error } : {};
  const text = lastWords(talk.added) ?? "";
  return { status: ending.status, text, ...stopOf(cap), ...error, ...used, unapplied: talk.unapplied };
}

function stopOf(cap: BudgetCap | undefined): { stop?: TurnStop } {
  return cap === undefined ? {} : { stop: { kind: "limit", limit: cap } };
}
