// Cuts the texts of a stored response into deltas. If any part of a record does not fit the response, the whole record is refused.

import {
  argumentsText,
  isPlainObject,
  type AssistantMessage,
  type LlmStreamDelta,
  type LlmTurnResponse,
} from "../../core/index.js";
import { MAX_STREAM_PIECES } from "../limits.js";
import { hasMoreWords, parsePieces, type StreamBoundaries, type StreamPiece } from "./format.js";
import { withSpaces } from "./spaces.js";

/** A delta, and its wait in milliseconds after the previous delta or after the call. */
export interface TimedDelta {
  delta: LlmStreamDelta;
  gapMs: number;
}

export interface StreamPlan {
  deltas: TimedDelta[];
  /** Milliseconds from the last delta to the response. */
  endMs: number;
}

/** Joins all readable thoughts, as in reasoning deltas. */
export function thoughtsOf({ reasoning }: AssistantMessage): string {
  // The loader does not check their shape.
  if (!Array.isArray(reasoning)) return "";
  const thoughts: readonly unknown[] = reasoning;
  const textOf = (thought: unknown): unknown =>
    isPlainObject(thought) && thought["type"] === "text" ? thought["text"] : "";
  return thoughts
    .map(textOf)
    .filter((text) => typeof text === "string")
    .join("");
}

/** Cuts `response` into the deltas of `record`. Returns the reason as a string if they do not fit. */
export function planStream(record: StreamBoundaries, response: LlmTurnResponse): StreamPlan | string {
  // A recorder may give each text one piece beyond the limit.
  const limit = MAX_STREAM_PIECES + 2 + (response.message.toolCalls ?? []).length;
  if (hasMoreWords(record.deltas, limit)) return `it has more than ${limit} pieces`;
  const pieces = parsePieces(record.deltas);
  if ("wrong" in pieces) return `${JSON.stringify(pieces.wrong.slice(0, 40))} is not a piece of a stream`;
  const texts = createTexts(record, response);
  const deltas: TimedDelta[] = [];
  for (const piece of pieces) {
    const delta = texts.cut(piece);
    if (typeof delta === "string") return delta;
    deltas.push({ delta, gapMs: piece.gapMs });
  }
  return texts.rest() ?? { deltas, endMs: record.end ?? 0 };
}

function createTexts(record: StreamBoundaries, { message }: LlmTurnResponse) {
  const { content, toolCalls = [] } = message;
  const channels = new Map<string, { text: string; at: number }>();

  /** The text of a channel. Undefined if there is no such channel, or if its white space does not fit. */
  const channelOf = (piece: StreamPiece): { text: string; at: number } | undefined => {
    const name = piece.kind === "call" ? `call ${piece.index}` : piece.kind;
    const known = channels.get(name);
    if (known !== undefined) return known;
    const text = textOf(piece);
    if (text === undefined) return undefined;
    const channel = { text, at: 0 };
    channels.set(name, channel);
    return channel;
  };
  const textOf = (piece: StreamPiece): string | undefined => {
    if (piece.kind === "text") return content;
    if (piece.kind === "reasoning") return thoughtsOf(message);
    const call = toolCalls[piece.index];
    if (call === undefined) return undefined;
    return withSpaces(argumentsText(call), record.spaces?.[String(piece.index)] ?? "");
  };

  return {
    cut(piece: StreamPiece): LlmStreamDelta | string {
      const channel = channelOf(piece);
      if (channel === undefined) return "it has a call that the response lacks or spells differently";
      const end = channel.at + piece.length;
      if (end > channel.text.length) return "it is longer than the response";
      const text = channel.text.slice(channel.at, end);
      channel.at = end;
      if (piece.kind !== "call") return { type: `${piece.kind}-delta`, text };
      const { id = "", name = "" } = toolCalls[piece.index] ?? {};
      return {
        type: "tool-call-delta",
        index: piece.index,
        ...(piece.hasId ? { id } : {}),
        ...(piece.hasName ? { name } : {}),
        argumentsText: text,
      };
    },
    /** Reports the flaw at the end: a text must be streamed completely or not at all. */
    rest(): string | undefined {
      const isShort = [...channels.values()].some(({ text, at }) => at !== 0 && at !== text.length);
      return isShort ? "it is shorter than the response" : undefined;
    },
  };
}
