// The pieces that every streamed wire is made of: a reader cuts text into parts, a fold puts the parts together into the body
// that the same answer would have had without streaming. One decoder then reads both, so they cannot differ.

import { AgentError } from "../errors.js";
import type { LlmStreamDelta, LlmTurnResponse } from "../model/provider.js";
import type { Decoding, WireObject } from "./json-readers.js";

/** One event of a stream, or one line. */
export interface StreamPart {
  /** The name of a server-sent event; "" where there is none. */
  event: string;
  data: string;
}

/** Cuts a stream's text into parts. Keeps what is not whole yet. */
export interface PartReader {
  feed(text: string): StreamPart[];
  /** What is left when the text has ended. */
  end(): StreamPart[];
}

/** Puts parts together. Throws `provider-response` for a part that is an error. */
export interface Fold {
  take(json: unknown): LlmStreamDelta[];
  /** The vendor said that this was the last part. */
  readonly isEnded: boolean;
  /** Nothing is missing, should the stream end here. */
  readonly isWhole: boolean;
  /** As much of the body as the decoder reads. */
  body(): WireObject;
}

/** One vendor's way to stream. */
export interface StreamWire {
  createReader(decoding: Decoding): PartReader;
  createFold(decoding: Decoding): Fold;
  decode(json: unknown, decoding: Decoding): LlmTurnResponse;
  /** The parts are server-sent events, so that an answer which begins like JSON is no stream. */
  isSse: boolean;
  /** Data that ends the stream and is no JSON. */
  endMark?: string;
}

/** The most characters of one event or line; a vendor without line ends would fill the memory. */
export const MAX_PART_CHARACTERS = 16 * 1024 * 1024;

/** The most calls, blocks, content parts or reasoning details of one answer; each costs more memory than it takes bytes. */
export const MAX_ITEMS = 10_000;

/** Throws when an answer that has `count` of `what` begins one more than {@link MAX_ITEMS}. */
export function assertRoom(count: number, what: string, decoding: Decoding): void {
  if (count >= MAX_ITEMS) refusePart(`more than ${MAX_ITEMS} ${what} in one answer`, decoding);
}

/** Throws for a stream that is not one. */
export function refusePart(what: string, decoding: Decoding): never {
  throw new AgentError("provider-response", `${decoding.providerName} streamed ${what}`, {
    kind: "unknown",
    hint: "Verify that baseURL speaks this vendor's wire format, or turn streaming off.",
  });
}

/** Throws for a stream that ended, or broke off, before its answer was whole. */
export function refuseCut(decoding: Decoding): never {
  throw new AgentError(
    "provider-response",
    `the stream of ${decoding.providerName} ended before its answer was whole`,
    {
      kind: "unavailable",
      hint: "Retry.",
      retryable: true,
    },
  );
}

/**
 * Text as it came, since a piece may be half of a surrogate pair that the next one completes. The decoder makes the whole
 * well-formed.
 */
export function toPiece(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The deltas that say something. */
export function toDeltas(text: string, reasoning: string): LlmStreamDelta[] {
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning-delta", text: reasoning } as const]),
    ...(text === "" ? [] : [{ type: "text-delta", text } as const]),
  ];
}
