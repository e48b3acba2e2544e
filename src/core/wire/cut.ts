// Cuts a streamed answer: as it was recorded, else evenly. A wire has an order of its own (thoughts, text, calls), so deltas that were
// mixed come one text after the other.

import type { LlmStreamDelta } from "../model/provider.js";
import { toPieces } from "./pieces.js";

/** A part of a body: text, or bytes of a wire with binary frames. */
export type WireChunk = string | Uint8Array;

/** A piece of text, or an event of a wire, and its time in milliseconds since the call. */
export interface TimedText<Text extends WireChunk = string> {
  text: Text;
  at: number;
}

export type TimedEvent = TimedText<WireChunk>;

/** A delta and its time in milliseconds since the call. */
export interface TimedStreamDelta {
  delta: LlmStreamDelta;
  at: number;
}

/** The text, the thoughts, or the arguments of the call with this index. */
export type CutChannel = "text" | "reasoning" | number;

/** The pieces of `whole`, or undefined if none were recorded. To be called for one thought after the other. */
export type Cut = (channel: CutChannel, whole: string) => TimedText[] | undefined;

/** Cuts as these deltas were cut. The arguments of a call keep their white space. */
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

/** Takes `length` UTF-16 units from the front of `left`, and cuts the last piece if it is longer. */
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

/** Moves the first half of a surrogate pair to the second, since not every client joins them. */
function joinPairs(pieces: readonly TimedText[]): TimedText[] {
  let half = "";
  return pieces.map(({ text, at }, index) => {
    const all = half + text;
    half = index < pieces.length - 1 && /[\uD800-\uDBFF]$/.test(all) ? all.slice(-1) : "";
    return { text: half === "" ? all : all.slice(0, -1), at };
  });
}

/** The recorded pieces of a text, else even ones. */
export function cutText(cut: Cut | undefined, channel: CutChannel, whole: string): TimedText[] {
  return cut?.(channel, whole) ?? toPieces(whole).map((text) => ({ text, at: 0 }));
}

export function lastAt(pieces: readonly TimedText[] | undefined): number {
  return pieces?.at(-1)?.at ?? 0;
}
