// Notes how one answer arrives, delta by delta, and checks at the end that this fits the stored response. It only counts texts, but keeps
// the arguments of calls, because the stored value lacks their white space.

import { argumentsText, type LlmStreamDelta, type LlmTurnResponse } from "../../core/index.js";
import { MAX_STREAM_PIECES } from "../limits.js";
import {
  formatPieces,
  type RecordedStreaming,
  type StreamBoundaries,
  type StreamPiece,
  type UnfitPart,
} from "./format.js";
import { spacesOf } from "./spaces.js";
import { thoughtsOf } from "./texts.js";

/** How an answer arrived, or the part that differs from the stored answer. With such a part, a replay streams the answer whole. */
export type StreamNoted = StreamBoundaries | { unfit: UnfitPart };

/** The notes about one streamed answer. Created by {@link createStreamNote}. */
export interface StreamNote {
  take(delta: LlmStreamDelta): void;
  /** Finishes the notes when the response has arrived. Call it once. `stored` is the response in the cassette. */
  finish(stored: LlmTurnResponse): StreamNoted;
}

export function createStreamNote(wanted: Exclude<RecordedStreaming, false>, now: () => number): StreamNote {
  const pieces: StreamPiece[] = [];
  const lastOf = new Map<string, StreamPiece>();
  const written = new Map<number, string>();
  const lap = wanted === "times" ? createLap(now) : () => 0;
  let merged = 0;
  // The wait before a merged delta is added to the next piece.
  let late = 0;

  return {
    take(delta) {
      if (!isDelta(delta)) return;
      const piece = toPiece(delta, lap() + late);
      late = 0;
      const channel = piece.kind === "call" ? String(piece.index) : piece.kind;
      if (delta.type === "tool-call-delta") {
        written.set(delta.index, (written.get(delta.index) ?? "") + delta.argumentsText);
      }
      const last = lastOf.get(channel);
      if (pieces.length >= MAX_STREAM_PIECES && last !== undefined) {
        join(last, piece);
        late = piece.gapMs;
        merged++;
        return;
      }
      pieces.push(piece);
      lastOf.set(channel, piece);
    },
    finish(stored) {
      const end = lap() + late;
      const fitted = fit(pieces, written, stored);
      if ("unfit" in fitted) return fitted;
      return {
        deltas: formatPieces(pieces),
        ...(wanted === "times" ? { end } : {}),
        ...fitted,
        ...(merged === 0 ? {} : { merged }),
      };
    },
  };
}

/** Returns whole milliseconds since its last call; 0 if the clock was set back. */
function createLap(now: () => number): () => number {
  let last = now();
  return () => {
    const at = now();
    const gap = Math.max(0, Math.round(at - last));
    last = at;
    return Number.isSafeInteger(gap) ? gap : 0;
  };
}

/** False for an unknown event of a foreign provider. The recorder forwards it without a note. */
function isDelta(delta: LlmStreamDelta): boolean {
  const { type, ...rest } = delta as { type: string; text?: unknown; index?: unknown; argumentsText?: unknown };
  if (type === "text-delta" || type === "reasoning-delta") return typeof rest.text === "string";
  return type === "tool-call-delta" && Number.isSafeInteger(rest.index) && typeof rest.argumentsText === "string";
}

function toPiece(delta: LlmStreamDelta, gapMs: number): StreamPiece {
  switch (delta.type) {
    case "text-delta":
      return { kind: "text", length: delta.text.length, gapMs };
    case "reasoning-delta":
      return { kind: "reasoning", length: delta.text.length, gapMs };
    case "tool-call-delta": {
      const { index, id, name, argumentsText: text } = delta;
      return { kind: "call", index, hasId: id !== undefined, hasName: name !== undefined, length: text.length, gapMs };
    }
  }
}

function join(last: StreamPiece, piece: StreamPiece): void {
  last.length += piece.length;
  if (last.kind !== "call" || piece.kind !== "call") return;
  last.hasId ||= piece.hasId;
  last.hasName ||= piece.hasName;
}

type Fitted = Pick<StreamBoundaries, "spaces" | "respelled"> | { unfit: UnfitPart };

/** Fits pieces to a stored text. A text that was not streamed at all also fits, since a replay does not stream it either. */
function fit(
  pieces: readonly StreamPiece[],
  written: ReadonlyMap<number, string>,
  { message }: LlmTurnResponse,
): Fitted {
  const { content, toolCalls = [] } = message;
  const texts = { text: content, reasoning: thoughtsOf(message) };
  for (const kind of ["text", "reasoning"] as const) {
    const length = pieces.reduce((sum, piece) => (piece.kind === kind ? sum + piece.length : sum), 0);
    if (length !== 0 && length !== texts[kind].length) return { unfit: kind };
  }
  const spaces: [string, string][] = [];
  const respelled: number[] = [];
  for (const [index, text] of [...written].sort(([one], [other]) => one - other)) {
    const call = toolCalls[index];
    if (call === undefined) return { unfit: "calls" };
    if (text === "") continue;
    const dense = argumentsText(call);
    const found = spacesOf(text, dense);
    if (found === undefined) {
      rescale(pieces, index, text.length, dense.length);
      respelled.push(index);
    } else if (found !== "") spaces.push([String(index), found]);
  }
  return {
    ...(spaces.length === 0 ? {} : { spaces: Object.fromEntries(spaces) }),
    ...(respelled.length === 0 ? {} : { respelled }),
  };
}

/** Cuts `length` units in proportion to the cuts of `written` units. */
function rescale(pieces: readonly StreamPiece[], index: number, written: number, length: number): void {
  let [seen, given] = [0, 0];
  for (const piece of pieces) {
    if (piece.kind !== "call" || piece.index !== index) continue;
    seen += piece.length;
    const end = Math.round((seen / written) * length);
    piece.length = end - given;
    given = end;
  }
}
