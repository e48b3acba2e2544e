// The chunks of a streamed answer, each an answer with the parts that are new, joined into one.

import { refuseErrorBody, toList, toObject, type Decoding, type WireObject } from "../../http/json-readers.js";
import { assertRoom } from "../../http/fold.js";

/** Joins chunks one after the other. */
export interface ChunkJoiner {
  take(chunk: WireObject): void;
  /** A chunk said why the answer ended. */
  readonly isWhole: () => boolean;
  body(): WireObject;
}

export function createChunkJoiner(decoding: Decoding): ChunkJoiner {
  const parts: unknown[] = [];
  let body: WireObject = {};
  let candidate: WireObject = {};
  let hasCandidate = false;
  return {
    isWhole: () => candidate["finishReason"] !== undefined || body["promptFeedback"] !== undefined,
    take(chunk) {
      refuseErrorBody(chunk["error"], decoding);
      const { candidates, ...rest } = chunk;
      body = { ...body, ...rest };
      const [first] = toList(candidates);
      if (first === undefined) return;
      hasCandidate = true;
      const { content, ...fields } = toObject(first);
      candidate = { ...candidate, ...fields };
      for (const part of toList(toObject(content)["parts"])) {
        assertRoom(parts.length, "content parts", decoding);
        parts.push(part);
      }
    },
    body: () => (hasCandidate ? { ...body, candidates: [{ ...candidate, content: { role: "model", parts } }] } : body),
  };
}

/** A stream that came as one JSON list. */
export function joinChunks(chunks: readonly unknown[], decoding: Decoding): WireObject {
  const joiner = createChunkJoiner(decoding);
  for (const chunk of chunks) joiner.take(toObject(chunk));
  return joiner.body();
}
