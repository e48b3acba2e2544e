// Compares a recorded turn with the turn that another model chose at the same prompt. Calls are compared as a set, with the keys of
// diffs and the tolerances. Texts are not compared, only whether the model answered or called tools.

import {
  callKey,
  createUseCounter,
  firstDifference,
  pairSame,
  type Tolerances,
  type ToleranceUse,
  type ValueChange,
} from "../../cassette/index.js";
import type { LlmToolCall, LlmTurnResponse } from "../../core/index.js";

/**
 * `same`: the same calls, or an answer on both sides. `other-arguments`: the same tools, equally often, with other arguments.
 * `other-tools`: calls of other tools. `answered`: calls were recorded and the model answered. `called`: the reverse.
 */
export type StepVerdict = "same" | "other-arguments" | "other-tools" | "answered" | "called";

export const STEP_VERDICTS: readonly StepVerdict[] = ["same", "other-arguments", "other-tools", "answered", "called"];

/** The "tool" of a turn without calls. Vendors do not allow brackets in names. */
const ANSWER = "(answer)";
/** The missing side of a pair if one turn has more calls than the other. */
const NO_CALL = "(no call)";

interface ToolPair {
  recorded: string;
  chosen: string;
}

/** How two turns agree, and their calls in pairs: equal calls first, then calls of one tool, then the rest by name. */
export interface TurnComparison {
  verdict: StepVerdict;
  pairs: ToolPair[];
  /** The first pair of one tool with different arguments, and the first place where they differ. */
  differing?: { recorded: LlmToolCall; chosen: LlmToolCall; at: ValueChange };
  /** The tolerances that made calls equal, if any did. */
  tolerances?: ToleranceUse[];
}

export function compareTurns(
  recorded: LlmTurnResponse,
  chosen: LlmTurnResponse,
  tolerances?: Tolerances,
): TurnComparison {
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
  return compareCalls(old, now, tolerances);
}

function compareCalls(
  old: readonly LlmToolCall[],
  now: readonly LlmToolCall[],
  tolerances: Tolerances | undefined,
): TurnComparison {
  const equal = pairEqual(inOrder(old), inOrder(now), tolerances);
  const alike = pairByName(equal.old, equal.now);
  const rest = pairRest(alike.old, alike.now);
  const pairs = [...equal.pairs, ...alike.pairs].map(([a, b]) => ({ recorded: a.name, chosen: b.name }));
  const verdict = rest.length > 0 ? "other-tools" : alike.pairs.length > 0 ? "other-arguments" : "same";
  const [first] = alike.pairs;
  const at = first === undefined ? undefined : differenceOf(first, tolerances);
  const used = usedBetween(equal.pairs, tolerances);
  return {
    verdict,
    pairs: [...pairs, ...rest],
    ...(first === undefined || at === undefined ? {} : { differing: { recorded: first[0], chosen: first[1], at } }),
    ...(used.length === 0 ? {} : { tolerances: used }),
  };
}

type CallPair = [recorded: LlmToolCall, chosen: LlmToolCall];

/** Pairs of calls, each call in one at most, and the remaining calls in order. */
interface Paired {
  pairs: CallPair[];
  old: LlmToolCall[];
  now: LlmToolCall[];
}

/** Pairs as many equal calls as possible. Tolerances may make different calls equal. */
function pairEqual(
  old: readonly LlmToolCall[],
  now: readonly LlmToolCall[],
  tolerances: Tolerances | undefined,
): Paired {
  const toItem = (call: LlmToolCall) => ({ turn: 0, name: call.name, key: callKey(call), call });
  const isAlike =
    tolerances === undefined
      ? undefined
      : (a: { call: LlmToolCall }, b: { call: LlmToolCall }): boolean =>
          isWellFormed(a.call, b.call) && tolerances.alike(a.call.name, a.call.arguments, b.call.arguments);
  const partners = pairSame(old.map(toItem), now.map(toItem), isAlike);
  return {
    pairs: partners.flatMap((partner, index): CallPair[] => {
      const [recorded, chosen] = [old[index], now[partner]];
      return recorded === undefined || chosen === undefined ? [] : [[recorded, chosen]];
    }),
    old: old.filter((_, index) => partners[index] === -1),
    now: now.filter((_, index) => !partners.includes(index)),
  };
}

function pairByName(old: readonly LlmToolCall[], now: readonly LlmToolCall[]): Paired {
  const paired: Paired = { pairs: [], old: [], now: [...now] };
  for (const call of old) {
    const at = paired.now.findIndex(({ name }) => name === call.name);
    const [other] = at < 0 ? [] : paired.now.splice(at, 1);
    if (other === undefined) paired.old.push(call);
    else paired.pairs.push([call, other]);
  }
  return paired;
}

function differenceOf([recorded, chosen]: CallPair, tolerances: Tolerances | undefined): ValueChange | undefined {
  if (tolerances !== undefined && isWellFormed(recorded, chosen)) {
    return tolerances.compare(recorded.name, recorded.arguments, chosen.arguments).changes[0];
  }
  return firstDifference(
    recorded.malformedArguments ?? recorded.arguments,
    chosen.malformedArguments ?? chosen.arguments,
  );
}

function usedBetween(pairs: readonly CallPair[], tolerances: Tolerances | undefined): ToleranceUse[] {
  const uses = createUseCounter();
  for (const [recorded, chosen] of pairs) {
    if (tolerances === undefined || callKey(recorded) === callKey(chosen)) continue;
    uses.add(tolerances.compare(recorded.name, recorded.arguments, chosen.arguments).uses);
  }
  return uses.list();
}

function isWellFormed(...calls: readonly LlmToolCall[]): boolean {
  return calls.every(({ malformedArguments }) => malformedArguments === undefined);
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
