// Assembles an answer of Gemini from its stream. Each event is an answer of its own with the parts that are new. Nothing says where a
// stream ends: a chunk with a finish reason may be followed by one with the counts.

import type { LlmStreamDelta } from "../../model/provider.js";
import { toDeltas, toPiece, type Fold, type StreamWire } from "../../http/fold.js";
import { createSseReader } from "../../http/sse.js";
import { toJsonText, toObject, type Decoding, type WireObject } from "../../http/json-readers.js";
import { createChunkJoiner } from "./chunks.js";
import { decodeGemini } from "./decode.js";

/** Gemini's streamGenerateContent as server-sent events. A JSON list is read whole, by the decoder. */
export const geminiStream: StreamWire = {
  createReader: createSseReader,
  createFold: createGeminiFold,
  decode: decodeGemini,
  isSse: true,
};

function createGeminiFold(decoding: Decoding): Fold {
  const joiner = createChunkJoiner(decoding);
  let callCount = 0;
  const hear = (part: WireObject): LlmStreamDelta[] => {
    const call = part["functionCall"];
    if (call !== undefined) {
      const { id, name, args } = toObject(call);
      const given = toPiece(id);
      const argumentsText = toJsonText(args ?? {});
      return [
        {
          type: "tool-call-delta",
          index: callCount++,
          ...(given === "" ? {} : { id: given }),
          name: toPiece(name),
          argumentsText,
        },
      ];
    }
    const text = toPiece(part["text"]);
    return part["thought"] === true ? toDeltas("", text) : toDeltas(text, "");
  };
  return {
    isEnded: () => false,
    isWhole: joiner.isWhole,
    take: (json) => joiner.take(toObject(json)).flatMap((part) => hear(toObject(part))),
    body: () => joiner.body(),
  };
}
