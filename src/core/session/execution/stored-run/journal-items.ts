// What a checkpoint holds of a turn, and the turn that a journal tells of.

import { seal } from "../../../canon/copy.js";
import { isPlainObject, type JsonValue } from "../../../canon/value.js";
import { AgentError } from "../../../errors.js";
import type { BudgetSpent } from "../../../loop/budget.js";
import { fromStored, type StoredOutcome } from "../../../loop/journal.js";
import type { LlmMessage, LlmToolCall } from "../../../model/message.js";
import { settleCall } from "../../../tools/call.js";
import type { ResumedTurn } from "../../state/keeper.js";

export type JournalItem =
  | { readonly t: "input"; readonly message: LlmMessage }
  | { readonly t: "answer"; readonly message: LlmMessage; readonly turnIndex: number }
  | { readonly t: "result"; readonly callIndex: number; readonly outcome: StoredOutcome }
  /** The result of a call that passed no check. While its batch is open it is judged again. */
  | { readonly t: "refused"; readonly callIndex: number; readonly content: string }
  | { readonly t: "children"; readonly children: JsonValue };

/**
 * How far the last step of the journal has come. `answer`: the model has answered, and the end of the step was not told. `begun`: the
 * beginning of the next step was told. `between`: neither.
 */
export type StepPlace = "answer" | "begun" | "between";

export const STATE_VERSION = 1;

export interface RuntimeState {
  readonly v: typeof STATE_VERSION;
  /** The version of the session that the turn is based on. */
  readonly base: string | null;
  /** Steps that have ended. */
  readonly step: number;
  readonly place: StepPlace;
  /** Null before the first step. */
  readonly spent: BudgetSpent | null;
  /** The place of the next event in the log of the run. */
  readonly events: number;
  /** The ids of the notifications that the turn has taken. */
  readonly taken: readonly string[];
  /** The events of subagents in the open step that are stored. */
  readonly jobs?: readonly string[];
}

/** Undefined for the state of a newer version. */
export function readRuntimeState(state: JsonValue): RuntimeState | undefined {
  if (!isPlainObject(state) || typeof state["v"] !== "number")
    throw new AgentError("store-failed", "a checkpoint holds no state of a turn", {
      hint: "It was not written by an Agent. Resume the run with the code that wrote it.",
    });
  return state["v"] === STATE_VERSION ? (state as unknown as RuntimeState) : undefined;
}

export interface StoredTurn {
  /** Undefined before anything of the turn was stored: it begins again. */
  readonly resumed: ResumedTurn | undefined;
  /** What the calls of an open step have given, by index. */
  readonly results: ReadonlyMap<number, StoredOutcome>;
  /** What the session knew of its subagents last, if that changed. */
  readonly children: JsonValue | undefined;
}

/** Reads a journal. */
export function readJournal(journal: readonly JsonValue[], { step, place, spent }: RuntimeState): StoredTurn {
  const messages: LlmMessage[] = [];
  const steps: number[] = [];
  let calls: readonly LlmToolCall[] = [];
  let contents = new Map<number, LlmMessage>();
  let results = new Map<number, StoredOutcome>();
  let children: JsonValue | undefined;
  const close = (): void => {
    for (const index of calls.keys()) {
      const message = contents.get(index);
      if (message !== undefined) messages.push(message);
    }
    calls = [];
    contents = new Map();
  };
  for (const item of seal(journal) as unknown as readonly JournalItem[]) {
    if (item.t === "children") {
      children = item.children;
      continue;
    }
    if (item.t === "input" || item.t === "answer") {
      close();
      messages.push(item.message);
      if (item.t === "input") continue;
      steps.push(item.turnIndex);
      results = new Map();
      if (item.message.role === "assistant") calls = item.message.toolCalls ?? [];
      continue;
    }
    const { callIndex } = item;
    const call = calls[callIndex] as LlmToolCall;
    if (item.t === "result") results.set(callIndex, item.outcome);
    const outcome = item.t === "result" ? fromStored(item.outcome) : ({ kind: "rejected", ...item } as const);
    contents.set(callIndex, seal(settleCall(call, outcome)));
  }
  const pendingCalls = place === "answer" ? calls : [];
  if (place !== "answer") close();
  if (spent === null || messages.length === 0) return { resumed: undefined, results, children };
  return { resumed: { messages, pendingCalls, spent, steps, ended: step, place }, results, children };
}
