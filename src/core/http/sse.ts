// Server-sent events (WHATWG HTML §9.2) as the parts of a stream, read by eventsource-parser. This file adds a limit, a last event without
// its blank line, and one kind of line end: that parser searches all its input for the other kind, once for each line.

import { createParser } from "eventsource-parser";
import { MAX_STREAM_PART } from "../limits.js";
import { refusePart, type PartReader, type StreamPart } from "./fold.js";
import type { Decoding } from "./json-readers.js";

/** The most characters that the parser is fed at once. */
const SLICE_LENGTH = 16 * 1024;

/** Drops comments, ids and retry times. Takes text in pieces of any size. */
export function createSseReader(decoding: Decoding): PartReader {
  let parts: StreamPart[] = [];
  let isTooLarge = false;
  let endsInCr = false;
  const parser = createParser({
    maxBufferSize: MAX_STREAM_PART,
    onEvent: ({ event = "", data }) => parts.push({ event, data }),
    onError: ({ type }) => (isTooLarge ||= type === "max-buffer-size-exceeded"),
  });

  /** Replaces CR and CRLF by LF. A CR ends its line at once, and an LF at the start of the next text is dropped. */
  const toLf = (text: string): string => {
    const own = endsInCr && text.startsWith("\n") ? text.slice(1) : text;
    endsInCr = text.endsWith("\r");
    return own.replace(/\r\n?/g, "\n");
  };
  const read = (text: string): StreamPart[] => {
    parts = [];
    for (let start = 0; start < text.length; start += SLICE_LENGTH) {
      parser.feed(toLf(text.slice(start, start + SLICE_LENGTH)));
      if (isTooLarge) refusePart(`an event larger than ${MAX_STREAM_PART} characters`, decoding);
    }
    return parts;
  };
  return {
    feed: read,
    // The specification drops an event without its blank line, but some hosts close before they send it.
    end: () => read("\n\n"),
  };
}
