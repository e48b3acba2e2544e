// Decodes the bytes of a streamed answer, cut anywhere, into deltas and, at its end, the response. It knows no transport and no vendor.

import { parseBoundedJson } from "../canon/bounded-json.js";
import type { LlmStreamDelta, LlmTurnResponse } from "../model/provider.js";
import { refuseCut, refusePart, toDeltas, type StreamPart, type StreamWire } from "../http/fold.js";
import { refuseDropped, refuseErrorBody, toText, type Decoding } from "../http/json-readers.js";

/** Decodes one answer. Both methods throw `provider-response`. */
export interface StreamDecoder {
  feed(bytes: Uint8Array): LlmStreamDelta[];
  /** The vendor ended the answer, or sent something else. Nothing more needs to be read. Call `end`. */
  isEnded(): boolean;
  end(): { deltas: LlmStreamDelta[]; response: LlmTurnResponse };
}

/** The first character of anything but events: `data:`, `event:`, `id:`, `retry:` and comments begin differently. */
const NO_EVENT = /^\s*[^\s:deir]/;

export function createStreamDecoder(wire: StreamWire, decoding: Decoding): StreamDecoder {
  const text = new TextDecoder();
  const isBinary = "mediaType" in wire;
  const frames = isBinary ? wire.createFrameReader() : undefined;
  const reader = isBinary ? undefined : wire.createReader(decoding);
  const taker = createTaker(wire, decoding);
  let kind: "unknown" | "stream" | "whole" = isBinary || wire.isSse ? "unknown" : "stream";
  /** All of an answer that is not a stream. */
  const held: string[] = [];

  const read = (piece: string): LlmStreamDelta[] => {
    if (kind === "unknown") {
      if (piece.trim() === "") return [];
      kind = NO_EVENT.test(piece) ? "whole" : "stream";
      // Some hosts send line ends first.
      piece = piece.trimStart();
    }
    if (kind === "whole") {
      held.push(piece);
      return [];
    }
    return taker.take(reader?.feed(piece) ?? []);
  };

  return {
    feed(bytes) {
      if (frames !== undefined && kind === "unknown" && bytes.length > 0) kind = bytes[0] === 0 ? "stream" : "whole";
      const isFramed = frames !== undefined && kind === "stream";
      return isFramed ? taker.take(frames.feed(bytes)) : read(text.decode(bytes, { stream: true }));
    },
    isEnded: taker.isEnded,
    end() {
      taker.assertSound();
      const deltas = read(text.decode());
      taker.assertSound();
      if (kind === "whole") {
        const whole = held.join("");
        const json = parseWhole(whole, decoding);
        refuseDropped(whole, decoding);
        const response = wire.decode(json, decoding);
        return { deltas: toWholeDeltas(response), response };
      }
      if (!taker.isEnded()) for (const delta of taker.takeLast((frames ?? reader)?.end() ?? [])) deltas.push(delta);
      return { deltas, response: wire.decode(taker.body(), decoding) };
    },
  };
}

/** Folds the parts of a stream and keeps the error of a part: it is thrown after the deltas before it, however the bytes were cut. */
function createTaker(wire: StreamWire, decoding: Decoding) {
  const fold = wire.createFold(decoding);
  const endMark = "mediaType" in wire ? undefined : wire.endMark;
  let isEnded = false;
  let failure: { readonly error: unknown } | undefined;

  const takePart = ({ event, data, flaw }: StreamPart, isLast: boolean): LlmStreamDelta[] => {
    if (isEnded) return [];
    if (flaw !== undefined) refusePart(flaw, decoding);
    const trimmed = data.trim();
    if (trimmed === "") return [];
    if (trimmed === END_MARK) {
      isEnded = endMark === END_MARK;
      return [];
    }
    const json = parsePart(event, data, isLast, decoding);
    refuseDropped(data, decoding);
    const deltas = fold.take(json);
    isEnded = fold.isEnded();
    return deltas;
  };
  return {
    isEnded: () => isEnded || failure !== undefined,
    take(parts: readonly StreamPart[]): LlmStreamDelta[] {
      const deltas: LlmStreamDelta[] = [];
      for (const part of parts) {
        try {
          // One by one, since a million deltas are too many arguments for one call.
          for (const delta of takePart(part, false)) deltas.push(delta);
        } catch (error) {
          if (deltas.length === 0) throw error;
          failure = { error };
          break;
        }
      }
      return deltas;
    },
    takeLast: (parts: readonly StreamPart[]) => parts.flatMap((part) => takePart(part, true)),
    assertSound(): void {
      if (failure !== undefined) throw failure.error;
    },
    body() {
      if (!isEnded && !fold.isWhole()) refuseCut(decoding);
      return fold.body();
    },
  };
}

function toWholeDeltas({ message }: LlmTurnResponse): LlmStreamDelta[] {
  const { content, reasoning = [], toolCalls = [] } = message;
  const thoughts = reasoning.map((thought) => (thought.type === "text" ? thought.text : ""));
  const calls = toolCalls.map(({ id, name, arguments: args, malformedArguments }, index) => ({
    type: "tool-call-delta" as const,
    index,
    id,
    name,
    argumentsText: malformedArguments ?? JSON.stringify(args),
  }));
  return [...toDeltas(content, thoughts.join("")), ...calls];
}

const END_MARK = "[DONE]";

function parsePart(event: string, data: string, isLast: boolean, decoding: Decoding): unknown {
  try {
    return parseBoundedJson(data);
  } catch {
    if (event === "error") refuseErrorBody(toText(data), decoding);
    // The last part of a stream that broke off may be incomplete.
    if (isLast) refuseCut(decoding);
    return refusePart(`something other than JSON: ${decoding.quote(data)}`, decoding);
  }
}

/** Parses an answer that is not a stream although one was requested: an error, or a whole answer. */
function parseWhole(text: string, decoding: Decoding): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return refusePart(`neither events nor JSON: ${decoding.quote(text)}`, decoding);
  }
}
