// How long the answers of a recording took, where it was streamed and its times were recorded.

import { isPlainObject } from "../../core/index.js";
import { extensionsOf, type Cassette } from "../file/format.js";
import type { StreamedTurn } from "./format.js";
import { readStreams } from "./read.js";

/** Milliseconds from the call of each turn to its whole answer. Undefined for a turn whose time was not recorded. */
export function answerTimes(cassette: Cassette): (number | undefined)[] {
  const times = new Array<number | undefined>(cassette.entries.length).fill(undefined);
  const streams: unknown = extensionsOf(cassette).streams;
  // Most recordings have no times, and reading how a stream was cut takes longer than loading it.
  if (!Array.isArray(streams) || !streams.some((turn) => isPlainObject(turn) && "end" in turn)) return times;
  const reader = readStreams(cassette);
  if (reader.state.kind !== "recorded") return times;
  for (const streamed of streams as StreamedTurn[]) {
    const plan = "end" in streamed && streamed.end !== undefined ? reader.planOf(streamed.turn) : undefined;
    if (plan !== undefined) times[streamed.turn] = plan.deltas.reduce((sum, { gapMs }) => sum + gapMs, plan.endMs);
  }
  return times;
}
