// The reader of server-sent events against the parser under it: whatever its text and wherever that is cut, the events are those
// of one unbroken text.

import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { StreamPart } from "../../src/core/http/fold.js";
import { createSseReader } from "../../src/core/http/sse.js";
import { plainDecoding } from "../../src/core/http/json-readers.js";

const token = fc.constantFrom(
  "\r",
  "\n",
  "\r\n",
  "\r\r",
  "\n\n",
  "data",
  "data:",
  "data: x",
  "event: e",
  "id: 1",
  ":",
  " ",
  "é",
);
/** Longer than what is fed to the parser at once, so that a cut of the reader's own falls somewhere into the tokens. */
const comment = fc.integer({ min: 16_350, max: 16_390 }).map((length) => `:${"x".repeat(length)}\n`);
const text = fc
  .tuple(fc.option(comment, { nil: "" }), fc.array(token, { maxLength: 60 }))
  .map(([padding, tokens]) => padding + tokens.join(""));

function parseWhole(whole: string): StreamPart[] {
  const parts: StreamPart[] = [];
  const parser = createParser({ onEvent: ({ event = "", data }) => void parts.push({ event, data }) });
  parser.feed(`${whole}\n\n`);
  return parts;
}

it("any text gives the same events wherever it is cut", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 20 }), (whole, cuts) => {
      const ends = [...cuts.map((cut) => cut % (whole.length + 1)), whole.length].sort((a, b) => a - b);
      const reader = createSseReader(plainDecoding);
      let start = 0;
      const parts = ends.flatMap((end) => reader.feed(whole.slice(start, (start = end))));
      expect([...parts, ...reader.end()]).toEqual(parseWhole(whole));
    }),
    { numRuns: 1_000 },
  );
});
