// Turns a whole answer into a stream: cuts texts into pieces and frames events. Server-sent events follow WHATWG HTML §9.2.

import type { JsonObject } from "../canon/value.js";
import type { LlmTurnResponse } from "../model/provider.js";

/** Values in an answer that a recording does not hold. */
export interface WireStamp {
  id: string;
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
  /** For a response that names no model. */
  model: string;
  /** OpenAI streams hold the usage only if the request wants it. */
  wantsUsage?: boolean;
  /** The events of a stream are the items of one JSON list, which Gemini sends without `alt=sse`. */
  isList?: boolean;
}

export function modelOf(response: LlmTurnResponse, stamp: WireStamp): string {
  return response.model ?? stamp.model;
}

const MIN_PIECE = 16;
const MOST_PIECES = 64;

/** `text` in at most 64 pieces. No character is cut in two, and an empty text has no pieces. */
export function toPieces(text: string): string[] {
  const size = Math.max(MIN_PIECE, Math.ceil(text.length / MOST_PIECES));
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + size, text.length);
    if (!text.slice(start, end).isWellFormed()) end++;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

export function toSse(data: JsonObject | "[DONE]", event?: string): string {
  const head = event === undefined ? "" : `event: ${event}\n`;
  return `${head}data: ${data === "[DONE]" ? data : JSON.stringify(data)}\n\n`;
}

export function toLine(data: JsonObject): string {
  return `${JSON.stringify(data)}\n`;
}
