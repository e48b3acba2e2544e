// `extensions.streams`: how each streamed answer arrived, as lengths into the stored response, so that no text is stored twice. One piece
// is one delta: `t5` five units of text, `r5` of reasoning, `c0:5` of the arguments of call 0, `c0in:0` the same with the call's id and
// name; `+120` is the wait before it in milliseconds. Specification: docs/cassette-format.md.

/** The record of streams in a recording. `times` differ in every run, so they are recorded only on request. */
export type RecordedStreaming = "boundaries" | "times" | false;

/** One delta. `length` counts UTF-16 units. */
export type StreamPiece =
  | { kind: "text"; length: number; gapMs: number }
  | { kind: "reasoning"; length: number; gapMs: number }
  | { kind: "call"; index: number; hasId: boolean; hasName: boolean; length: number; gapMs: number };

/** The part of a response that cannot be streamed as it was, since it was stored differently. */
export type UnfitPart = "text" | "reasoning" | "calls";

export interface StreamBoundaries {
  /** Pieces with one space between two. */
  deltas: string;
  /** Milliseconds from the last delta to the response. Present exactly if times were recorded. */
  end?: number;
  /** White space in the arguments of calls, by their index; see `spaces.ts`. */
  spaces?: Record<string, string>;
  /** Calls whose arguments the model did not spell like `JSON.stringify`. Their boundaries are approximate. */
  respelled?: number[];
  /** Number of deltas beyond {@link MAX_STREAM_PIECES}, which were merged into earlier pieces. */
  merged?: number;
}

/** How the answer of one turn arrived, or the part that does not fit. */
export type StreamedTurn = { turn: number } & (StreamBoundaries | { unfit: UnfitPart });

const NUMBER = "(0|[1-9][0-9]{0,14})";
const PIECE = new RegExp(`^(?:([tr])${NUMBER}|c${NUMBER}(i?)(n?):${NUMBER})(?:\\+${NUMBER})?$`);

export function formatPieces(pieces: readonly StreamPiece[]): string {
  return pieces.map(formatPiece).join(" ");
}

function formatPiece(piece: StreamPiece): string {
  const gap = piece.gapMs === 0 ? "" : `+${piece.gapMs}`;
  if (piece.kind !== "call") return `${piece.kind === "text" ? "t" : "r"}${piece.length}${gap}`;
  return `c${piece.index}${piece.hasId ? "i" : ""}${piece.hasName ? "n" : ""}:${piece.length}${gap}`;
}

/** True for more than `limit` words. Checked before a text is split, since its pieces take many times its size. */
export function hasMoreWords(text: string, limit: number): boolean {
  let words = text === "" ? 0 : 1;
  for (let at = text.indexOf(" "); at >= 0 && words <= limit; at = text.indexOf(" ", at + 1)) words++;
  return words > limit;
}

/** The pieces of a text that `formatPieces` wrote, or the first wrong word. */
export function parsePieces(text: string): StreamPiece[] | { wrong: string } {
  if (text === "") return [];
  const pieces: StreamPiece[] = [];
  for (const word of text.split(" ")) {
    const piece = parsePiece(word);
    if (piece === undefined) return { wrong: word };
    pieces.push(piece);
  }
  return pieces;
}

function parsePiece(word: string): StreamPiece | undefined {
  const match = PIECE.exec(word);
  if (match === null) return undefined;
  const [, letter, length, index, id, name, callLength, gap = "0"] = match;
  const gapMs = Number(gap);
  if (letter !== undefined) return { kind: letter === "t" ? "text" : "reasoning", length: Number(length), gapMs };
  return {
    kind: "call",
    index: Number(index),
    hasId: id === "i",
    hasName: name === "n",
    length: Number(callLength),
    gapMs,
  };
}
