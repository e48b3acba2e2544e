// Decodes the bytes of a streamed answer, cut anywhere, into deltas and, at its end, the response. It knows no transport and no vendor.

import { parseBoundedJson } from "../canon/bounded-json.js";
import type { LlmStreamDelta, LlmTurnResponse } from "../model/provider.js";
import { refuseCut, refusePart, toDeltas, type StreamPart, type StreamWire } from "../http/fold.js";
import { refuseDropped, refuseErrorBody, toText, type Decoding } from "../http/json-readers.js";

/** Decodes one answer. Both methods throw `provider-response`. */
export interface StreamDecoder {
  feed(bytes: Uint8Array): LlmStreamDelta[];
  /** The vendor ended the answer, or sent something else. Nothing more needs to be read. Call `end`. */
  readonly isEnded: boolean;
  end(): { deltas: LlmStreamDelta[]; response: LlmTurnResponse };
}

/** The first character of anything but events: `data:`, `event:`, `id:`, `retry:` and comments begin differently. */
const NO_EVENT = /^\s*[^\s:deir]/;

export function createStreamDecoder(wire: StreamWire, decoding: Decoding): StreamDecoder {
  const text = new TextDecoder();
  const reader = wire.createReader(decoding);
  const fold = wire.createFold(decoding);
  let kind: "unknown" | "stream" | "whole" = wire.isSse ? "unknown" : "stream";
  /** All of an answer that is not a stream. */
  const held: string[] = [];
  let isEnded = false;
  /** The error of a part. It is thrown after the deltas before it, however the bytes were cut. */
  let failure: { readonly error: unknown } | undefined;

  const takePart = ({ event, data }: StreamPart, isLast: boolean): LlmStreamDelta[] => {
    const trimmed = data.trim();
    if (isEnded || trimmed === "") return [];
    if (trimmed === END_MARK) {
      isEnded = wire.endMark === END_MARK;
      return [];
    }
    const json = parsePart(event, data, isLast, decoding);
    refuseDropped(data, decoding);
    const deltas = fold.take(json);
    isEnded = fold.isEnded;
    return deltas;
  };
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
    const deltas: LlmStreamDelta[] = [];
    for (const part of reader.feed(piece)) {
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
  };
  const assertSound = (): void => {
    if (failure !== undefined) throw failure.error;
  };

  return {
    feed: (bytes) => read(text.decode(bytes, { stream: true })),
    get isEnded() {
      return isEnded || failure !== undefined;
    },
    end() {
      assertSound();
      const deltas = read(text.decode());
      assertSound();
      if (kind === "whole") {
        const whole = held.join("");
        const json = parseWhole(whole, decoding);
        refuseDropped(whole, decoding);
        const response = wire.decode(json, decoding);
        return { deltas: toWholeDeltas(response), response };
      }
      if (!isEnded) for (const part of reader.end()) for (const delta of takePart(part, true)) deltas.push(delta);
      if (!isEnded && !fold.isWhole) refuseCut(decoding);
      return { deltas, response: wire.decode(fold.body(), decoding) };
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
