// How a whole answer becomes a stream: texts cut into pieces, events framed. Server-sent events by WHATWG HTML §9.2.

import type { JsonObject } from "../canon/value.js";
import type { LlmTurnResponse } from "../model/provider.js";

/** What an answer carries that the recording does not say. */
export interface WireStamp {
  id: string;
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
  /** For a response that names no model. */
  model: string;
  /** OpenAI streams tell the usage only to a client that asked for it. */
  wantsUsage?: boolean;
}

/** The model that answered, else the one that was asked. */
export function modelOf(response: LlmTurnResponse, stamp: WireStamp): string {
  return response.model ?? stamp.model;
}

const MIN_PIECE = 16;
const MAX_PIECES = 64;

/** `text` in at most 64 pieces that join to it; no character is cut in two, and an empty text has none. */
export function toPieces(text: string): string[] {
  const size = Math.max(MIN_PIECE, Math.ceil(text.length / MAX_PIECES));
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + size, text.length);
    if (!text.slice(start, end).isWellFormed()) end++;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** One event of a stream; without a name where the vendor sends none. */
export function toSse(data: JsonObject | "[DONE]", event?: string): string {
  const head = event === undefined ? "" : `event: ${event}\n`;
  return `${head}data: ${data === "[DONE]" ? data : JSON.stringify(data)}\n\n`;
}

/** One line of newline-delimited JSON. */
export function toLine(data: JsonObject): string {
  return `${JSON.stringify(data)}\n`;
}
