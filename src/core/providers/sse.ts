// Server-sent events as the parts of a stream. Specification: WHATWG HTML §9.2. The lines are read by eventsource-parser; here
// is what vendors' streams need beside it: a limit, and a last event whose blank line never came.

import { createParser } from "eventsource-parser";
import { MAX_PART_CHARACTERS, refusePart, type PartReader, type StreamPart } from "./fold.js";
import type { Decoding } from "./wire.js";

/** Comments, ids and retry times are dropped. Feed it text in pieces of any size. */
export function createSseReader(decoding: Decoding): PartReader {
  let parts: StreamPart[] = [];
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: MAX_PART_CHARACTERS,
    onEvent: ({ event = "", data }) => parts.push({ event, data }),
    onError: ({ type }) => (isTooLarge ||= type === "max-buffer-size-exceeded"),
  });

  const read = (text: string): StreamPart[] => {
    parts = [];
    parser.feed(text);
    if (isTooLarge) refusePart(`an event larger than ${MAX_PART_CHARACTERS} characters`, decoding);
    return parts;
  };
  return {
    feed: read,
    // The specification drops an event without its blank line; some hosts close before they send it.
    end: () => read("\n\n"),
  };
}
