// Newline-delimited JSON as the parts of a stream: one line, one part.

import { MAX_STREAM_PART } from "../limits.js";
import { refusePart, type PartReader, type StreamPart } from "./fold.js";
import type { Decoding } from "./json-readers.js";

/** Drops empty lines and a carriage return at the end of a line. Takes text in pieces of any size. */
export function createNdjsonReader(decoding: Decoding): PartReader {
  let pieces: string[] = [];
  let length = 0;

  const hold = (piece: string): void => {
    if (piece === "") return;
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_STREAM_PART) refusePart(`a line longer than ${MAX_STREAM_PART} characters`, decoding);
  };
  const takeLine = (): StreamPart[] => {
    const data = pieces.join("").trim();
    pieces = [];
    length = 0;
    return data === "" ? [] : [{ event: "", data }];
  };
  return {
    feed(text) {
      const lines = text.split("\n");
      const rest = lines.pop() ?? "";
      const parts = lines.flatMap((line) => {
        hold(line);
        return takeLine();
      });
      hold(rest);
      return parts;
    },
    end: takeLine,
  };
}
