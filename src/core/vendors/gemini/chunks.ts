// The chunks of a streamed answer, each an answer with the parts that are new, joined into one.

import {
  refuseErrorBody,
  toCount,
  toList,
  toObject,
  toText,
  type Decoding,
  type WireObject,
} from "../../http/json-readers.js";
import { assertRoom } from "../../http/fold.js";

/** Joins chunks one after the other. */
export interface ChunkJoiner {
  /** Returns the new parts. Only the candidate that comes first becomes the answer. */
  take(chunk: WireObject): readonly unknown[];
  /** A chunk said why the answer ended, or why the prompt was blocked. */
  readonly isWhole: () => boolean;
  body(): WireObject;
}

export function createChunkJoiner(decoding: Decoding): ChunkJoiner {
  const parts: unknown[] = [];
  let body: WireObject = {};
  let candidate: WireObject = {};
  let index: number | undefined;
  const takeCandidate = ({ content, ...fields }: WireObject): readonly unknown[] => {
    const place = toCount(fields["index"]) ?? 0;
    index ??= place;
    if (place !== index) {
      decoding.note("more than one candidate");
      return [];
    }
    candidate = { ...candidate, ...fields };
    const added = toList(toObject(content)["parts"]);
    for (const part of added) {
      assertRoom(parts.length, "content parts", decoding);
      parts.push(part);
    }
    return added;
  };
  const isBlocked = (): boolean => toText(toObject(body["promptFeedback"])["blockReason"]) !== "";
  return {
    isWhole: () => candidate["finishReason"] !== undefined || isBlocked(),
    take(chunk) {
      refuseErrorBody(chunk["error"], decoding);
      const { candidates, ...rest } = chunk;
      body = { ...body, ...rest };
      return toList(candidates).map(toObject).flatMap(takeCandidate);
    },
    body: () =>
      index !== undefined ? { ...body, candidates: [{ ...candidate, content: { role: "model", parts } }] } : body,
  };
}

/** A stream that came as one JSON list. */
export function joinChunks(chunks: readonly unknown[], decoding: Decoding): WireObject {
  const joiner = createChunkJoiner(decoding);
  for (const chunk of chunks) joiner.take(toObject(chunk));
  return joiner.body();
}
