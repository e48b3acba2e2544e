// The parts of every streamed wire: a reader cuts text or bytes into parts, and a fold assembles them into the body that the same answer
// has without streaming. One decoder reads both, so they cannot differ.

import { AgentError } from "../errors.js";
import { MAX_ANSWER_ITEMS } from "../limits.js";
import type { LlmStreamDelta, LlmTurnResponse } from "../model/provider.js";
import type { Decoding, WireObject } from "./json-readers.js";

export interface StreamPart {
  /** The name of a server-sent event, or "". */
  event: string;
  data: string;
  /** The damage of a part that cannot be trusted, such as a wrong checksum. */
  flaw?: string;
}

/** Cuts a stream into parts, and keeps an unfinished one. */
export interface PartReader<Piece extends string | Uint8Array = string> {
  feed(piece: Piece): StreamPart[];
  end(): StreamPart[];
}

/** Assembles parts. Throws `provider-response` for a part that is an error. */
export interface Fold {
  take(json: unknown): LlmStreamDelta[];
  /** The vendor said that this was the last part. */
  isEnded(): boolean;
  /** True if the answer is whole when the stream ends here. */
  isWhole(): boolean;
  /** The body, as far as the decoder reads it. */
  body(): WireObject;
}

export type StreamWire = TextStream | BinaryStream;

interface FoldedStream {
  createFold(decoding: Decoding): Fold;
  decode(json: unknown, decoding: Decoding): LlmTurnResponse;
}

export interface TextStream extends FoldedStream {
  createReader(decoding: Decoding): PartReader;
  /** True for server-sent events, where an answer that begins like JSON is not a stream. */
  isSse: boolean;
  /** Data that ends the stream and is not JSON. */
  endMark?: string;
}

/** A stream of frames, which begin with a zero byte. An answer that begins differently is not a stream. */
export interface BinaryStream extends FoldedStream {
  createFrameReader(): PartReader<Uint8Array>;
  readonly mediaType: string;
}

/** Throws if an answer with `count` of `what` begins another one beyond {@link MAX_ANSWER_ITEMS}. */
export function assertRoom(count: number, what: string, decoding: Decoding): void {
  if (count >= MAX_ANSWER_ITEMS) refusePart(`more than ${MAX_ANSWER_ITEMS} ${what} in one answer`, decoding);
}

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
    { kind: "unavailable", hint: "Retry.", retryable: true },
  );
}

/** Text as it came, perhaps half of a surrogate pair that the next piece completes. The decoder makes the whole well-formed. */
export function toPiece(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function toDeltas(text: string, reasoning: string): LlmStreamDelta[] {
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning-delta", text: reasoning } as const]),
    ...(text === "" ? [] : [{ type: "text-delta", text } as const]),
  ];
}
