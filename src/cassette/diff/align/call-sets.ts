// The calls of a recording as the sets that are compared, one for each turn with calls, and how alike two calls are.

import { toPointer } from "../../../core/index.js";
import type { Cassette } from "../../file/format.js";
import { callsOf, type RecordedCall } from "../calls/calls.js";
import type { DiffSettings } from "../options.js";
import { joinReadOnly } from "../read-only.js";
import { groupBy, type IsAlike, type Item, type ItemSet } from "./sets.js";

export interface ComparedCall extends Item {
  call: RecordedCall;
  /** Where the call stands in its cassette, as a JSON pointer. */
  pointer: string;
  /** Calls that tolerances find alike have equal skeletons. */
  skeleton: string;
}

/** The sets in the order of turns. Neighbouring turns that only read are one set; without order the whole run is one. */
export function callSetsOf(cassette: Cassette, settings: DiffSettings): ItemSet<ComparedCall>[] {
  const positions = new Map<number, number>();
  const calls = callsOf(cassette).map((call): ComparedCall => {
    const { turn, name } = call;
    const position = positions.get(turn) ?? 0;
    positions.set(turn, position + 1);
    const pointer = toPointer(["entries", turn, "response", "message", "toolCalls", position]);
    const { key, skeleton } = settings.equality.keysOf(call);
    return { turn, name, call, pointer, key, skeleton };
  });
  if (!settings.order.inTurns) return calls.length === 0 ? [] : [calls.sort(compareCalls)];
  const turns = [...groupBy(calls, ({ turn }) => turn).values()];
  return joinReadOnly(turns, settings.isReadOnly, compareCalls);
}

/** Compares by the whole key last, so that the order of calls that differ only in ignored places does not matter either. */
function compareCalls(x: ComparedCall, y: ComparedCall): number {
  return compare(x.key, y.key) || compare(x.call.key, y.call.key) || x.turn - y.turn;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Likeness by the settings' tolerances; undefined where only equal keys count as equal. */
export function likenessBy(
  { equality }: DiffSettings,
  ...sides: readonly (readonly ItemSet<ComparedCall>[])[]
): IsAlike<ComparedCall> | undefined {
  const hasApproximate = sides.some((sets) => sets.some((set) => set.some(({ key, skeleton }) => key !== skeleton)));
  if (!hasApproximate) return undefined;
  return (a, b) => a.skeleton === b.skeleton && equality.isAlike(a.call, b.call);
}

/** Characters compared at either end of two keys. */
const EDGE = 300;

/** The weight of a differing place, more than any text can weigh. */
const PLACE = 2 * EDGE + 1;

/** How unlike two calls of one tool are: first by the number of places that differ in their arguments, then by their text. */
export function unlikeBy({ equality }: DiffSettings): (a: ComparedCall, b: ComparedCall) => number {
  return (a, b) => equality.changes(a.call, b.call).length * PLACE - sharedEdges(a.key, b.key);
}

/** Counts the characters that agree from the start and from the end, up to EDGE each. */
function sharedEdges(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  const longest = Math.min(limit, EDGE);
  let start = 0;
  while (start < longest && a[start] === b[start]) start++;
  const rest = Math.min(limit - start, EDGE);
  let end = 0;
  while (end < rest && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return start + end;
}
