// The calls of a recording as the sets that are compared: one for each turn that calls something.

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

/** In the order of turns; neighbouring turns that only read are one set, and without order the whole run is. */
export function callSetsOf(cassette: Cassette, settings: DiffSettings): ItemSet<ComparedCall>[] {
  const positions = new Map<number, number>();
  const calls = callsOf(cassette).map((call): ComparedCall => {
    const { turn, name } = call;
    const position = positions.get(turn) ?? 0;
    positions.set(turn, position + 1);
    const pointer = toPointer(["entries", turn, "response", "message", "toolCalls", position]);
    const { key, skeleton } = settings.rules.keysOf(call);
    return { turn, name, call, pointer, key, skeleton };
  });
  if (!settings.order.inTurns) return calls.length === 0 ? [] : [calls.sort(compareCalls)];
  const turns = [...groupBy(calls, ({ turn }) => turn).values()];
  return joinReadOnly(turns, settings.isReadOnly, compareCalls);
}

/** The whole key decides between calls that differ in ignored places alone, whose order must not matter either. */
function compareCalls(x: ComparedCall, y: ComparedCall): number {
  return compare(x.key, y.key) || compare(x.call.key, y.call.key) || x.turn - y.turn;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Likeness by the settings' tolerances; undefined where only equal keys are equal. */
export function likenessBy(
  { rules }: DiffSettings,
  ...sides: readonly (readonly ItemSet<ComparedCall>[])[]
): IsAlike<ComparedCall> | undefined {
  const hasApproximate = sides.some((sets) => sets.some((set) => set.some(({ key, skeleton }) => key !== skeleton)));
  if (!hasApproximate) return undefined;
  return (a, b) => a.skeleton === b.skeleton && rules.isAlike(a.call, b.call);
}
