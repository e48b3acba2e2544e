// One recorded turn against the turn that another model chose at the same prompt. The calls of a turn are compared as a set, by
// the key that diffs use; texts are not compared, only whether the model answered or called.

import { callKey } from "../../cassette/index.js";
import type { LlmToolCall, LlmTurnResponse } from "../../core/index.js";

/**
 * `same`: the same calls, or an answer on both sides. `other-arguments`: the same tools, each as often, with other arguments.
 * `other-tools`: calls on both sides, of other tools. `answered`: calls were recorded and the model answered. `called`: the
 * other way round.
 */
export type StepVerdict = "same" | "other-arguments" | "other-tools" | "answered" | "called";

export const STEP_VERDICTS: readonly StepVerdict[] = ["same", "other-arguments", "other-tools", "answered", "called"];

/** Stands for a tool's name where a turn calls none. Vendors allow no brackets in names. */
export const ANSWER = "(answer)";
/** Stands for the missing side where one turn has more calls than the other. */
export const NO_CALL = "(no call)";

/** A recorded call and the one that was chosen in its place, by tool. */
export interface ToolPair {
  recorded: string;
  chosen: string;
}

/** How two turns agree, and their calls in pairs: equal ones first, then of one tool, then the rest in the order of names. */
export interface TurnComparison {
  verdict: StepVerdict;
  pairs: ToolPair[];
  /** The first pair of one tool whose arguments differ. */
  differing?: { recorded: LlmToolCall; chosen: LlmToolCall };
}

/** Compares what was recorded with what was chosen. */
export function compareTurns(recorded: LlmTurnResponse, chosen: LlmTurnResponse): TurnComparison {
  const [old, now] = [recorded.message.toolCalls ?? [], chosen.message.toolCalls ?? []];
  if (old.length === 0 && now.length === 0) {
    return { verdict: "same", pairs: [{ recorded: ANSWER, chosen: ANSWER }] };
  }
  if (now.length === 0) {
    return { verdict: "answered", pairs: inOrder(old).map(({ name }) => ({ recorded: name, chosen: ANSWER })) };
  }
  if (old.length === 0) {
    return { verdict: "called", pairs: inOrder(now).map(({ name }) => ({ recorded: ANSWER, chosen: name })) };
  }
  return compareCalls(old, now);
}

function compareCalls(old: readonly LlmToolCall[], now: readonly LlmToolCall[]): TurnComparison {
  const equal = pairUp(old, now, callKey);
  const alike = pairUp(equal.old, equal.now, ({ name }) => name);
  const rest = pairRest(alike.old, alike.now);
  const pairs = [...equal.pairs, ...alike.pairs].map(([a, b]) => ({ recorded: a.name, chosen: b.name }));
  const verdict = rest.length > 0 ? "other-tools" : alike.pairs.length > 0 ? "other-arguments" : "same";
  const [first] = alike.pairs;
  return {
    verdict,
    pairs: [...pairs, ...rest],
    ...(first === undefined ? {} : { differing: { recorded: first[0], chosen: first[1] } }),
  };
}

interface Paired {
  pairs: [LlmToolCall, LlmToolCall][];
  old: LlmToolCall[];
  now: LlmToolCall[];
}

/** Pairs the calls with equal marks, each once; what is left is in the order of the keys. */
function pairUp(
  old: readonly LlmToolCall[],
  now: readonly LlmToolCall[],
  markOf: (call: LlmToolCall) => string,
): Paired {
  const waiting = new Map<string, LlmToolCall[]>();
  for (const call of inOrder(now)) waiting.set(markOf(call), [...(waiting.get(markOf(call)) ?? []), call]);
  const paired: Paired = { pairs: [], old: [], now: [] };
  for (const call of inOrder(old)) {
    const other = waiting.get(markOf(call))?.shift();
    if (other === undefined) paired.old.push(call);
    else paired.pairs.push([call, other]);
  }
  paired.now = inOrder([...waiting.values()].flat());
  return paired;
}

function pairRest(old: readonly LlmToolCall[], now: readonly LlmToolCall[]): ToolPair[] {
  return Array.from({ length: Math.max(old.length, now.length) }, (_, index) => ({
    recorded: old[index]?.name ?? NO_CALL,
    chosen: now[index]?.name ?? NO_CALL,
  }));
}

function inOrder(calls: readonly LlmToolCall[]): LlmToolCall[] {
  return calls
    .map((call) => ({ call, key: callKey(call) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ call }) => call);
}
