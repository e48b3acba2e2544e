// Server-sent events as the parts of a stream. Specification: WHATWG HTML §9.2. The lines are read by eventsource-parser; here
// is what vendors' streams need beside it: a limit, a last event whose blank line never came, and one kind of line end, since
// that parser looks for the other kind to the end of all it was fed, once for each line.

import { createParser } from "eventsource-parser";
import { MAX_PART_CHARACTERS, refusePart, type PartReader, type StreamPart } from "./fold.js";
import type { Decoding } from "./json-readers.js";

/** The most characters that the parser is fed at once. */
const SLICE_LENGTH = 16 * 1024;

/** Comments, ids and retry times are dropped. Feed it text in pieces of any size. */
export function createSseReader(decoding: Decoding): PartReader {
  let parts: StreamPart[] = [];
  let isTooLarge = false;
  let endsInCr = false;
  const parser = createParser({
    maxBufferSize: MAX_PART_CHARACTERS,
    onEvent: ({ event = "", data }) => parts.push({ event, data }),
    onError: ({ type }) => (isTooLarge ||= type === "max-buffer-size-exceeded"),
  });

  /** With LF for CR and CRLF. A CR ends its line at once; the LF that may come with it in the next text is dropped. */
  const toLf = (text: string): string => {
    const own = endsInCr && text.startsWith("\n") ? text.slice(1) : text;
    endsInCr = text.endsWith("\r");
    return own.replace(/\r\n?/g, "\n");
  };
  const read = (text: string): StreamPart[] => {
    parts = [];
    for (let start = 0; start < text.length; start += SLICE_LENGTH) {
      parser.feed(toLf(text.slice(start, start + SLICE_LENGTH)));
      if (isTooLarge) refusePart(`an event larger than ${MAX_PART_CHARACTERS} characters`, decoding);
    }
    return parts;
  };
  return {
    feed: read,
    // The specification drops an event without its blank line; some hosts close before they send it.
    end: () => read("\n\n"),
  };
}
