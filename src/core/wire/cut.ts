// Where a streamed answer is cut on a wire: as it was recorded, or evenly where nobody knows. A wire has an order of its own
// (thoughts, text, calls), so deltas that were mixed come one text after the other.

import type { LlmStreamDelta } from "../model/provider.js";
import { toPieces } from "./pieces.js";

/** A piece of text, or an event of a wire, and when it came: milliseconds since the call. */
export interface TimedText {
  text: string;
  at: number;
}

/** A delta, and when it came. */
export interface TimedStreamDelta {
  delta: LlmStreamDelta;
  at: number;
}

/** The text, the thoughts, or the arguments of the call with this index. */
export type CutChannel = "text" | "reasoning" | number;

/** The pieces of `whole`; undefined where nothing was recorded of it. Thoughts are asked for one after the other. */
export type Cut = (channel: CutChannel, whole: string) => TimedText[] | undefined;

/** Cuts as these deltas were. The arguments of a call come as they were written, white space included. */
export function cutAs(deltas: readonly TimedStreamDelta[]): Cut {
  const channels = new Map<CutChannel, TimedText[]>();
  for (const { delta, at } of deltas) {
    const [channel, text] = textOf(delta);
    const pieces = channels.get(channel);
    if (pieces === undefined) channels.set(channel, [{ text, at }]);
    else pieces.push({ text, at });
  }
  return (channel, whole) => {
    const left = channels.get(channel);
    if (left === undefined || whole === "") return undefined;
    const length = typeof channel === "number" ? Infinity : whole.length;
    const pieces = joinPairs(takeUnits(left, length)).filter(({ text }) => text !== "");
    return pieces.length === 0 ? undefined : pieces;
  };
}

function textOf(delta: LlmStreamDelta): [CutChannel, string] {
  switch (delta.type) {
    case "text-delta":
      return ["text", delta.text];
    case "reasoning-delta":
      return ["reasoning", delta.text];
    case "tool-call-delta":
      return [delta.index, delta.argumentsText];
  }
}

/** Takes `length` units from the front of `left`, cutting a piece that goes beyond. */
function takeUnits(left: TimedText[], length: number): TimedText[] {
  const taken: TimedText[] = [];
  let [open, whole] = [length, 0];
  for (const piece of left) {
    if (piece.text.length > open) break;
    open -= piece.text.length;
    taken.push(piece);
    whole++;
  }
  left.splice(0, whole);
  const [next] = left;
  if (next === undefined || open === 0) return taken;
  taken.push({ text: next.text.slice(0, open), at: next.at });
  left[0] = { text: next.text.slice(open), at: next.at };
  return taken;
}

/** A character that was cut in two goes with its second half: not every client joins halves. */
function joinPairs(pieces: readonly TimedText[]): TimedText[] {
  let half = "";
  return pieces.map(({ text, at }, index) => {
    const all = half + text;
    half = index < pieces.length - 1 && /[\uD800-\uDBFF]$/.test(all) ? all.slice(-1) : "";
    return { text: half === "" ? all : all.slice(0, -1), at };
  });
}

/** As it was recorded, else evenly. */
export function cutText(cut: Cut | undefined, channel: CutChannel, whole: string): TimedText[] {
  return cut?.(channel, whole) ?? toPieces(whole).map((text) => ({ text, at: 0 }));
}

/** When the last of these came. */
export function lastAt(pieces: readonly TimedText[] | undefined): number {
  return pieces?.at(-1)?.at ?? 0;
}
