// Made-up texts that hash filters and redactions look for: alone, in a sentence, or joined to their surroundings.

import fc from "fast-check";
import type { LlmMessage } from "../../core/index.js";

const SAMPLES = [
  "2026-11-21",
  "2026-11-21T09:30:00.000Z",
  "09:30:15",
  ...["1795251000", "42", "3.14"],
  "0f8fad5b-d9cb-469f-a165-70867728950e",
  "d41d8cd98f00b204e9800998ecf8427e",
  "ann.lee@example.com",
  "+1 555-0100",
  "https://example.com/a?b=1",
  "192.0.2.1",
  "C:\\Users\\ann",
  "/home/ann/run-7.log",
  // In pieces, so that no scanner for leaked keys reports this file.
  ["sk", "aaaaaaaaaaaaaaaaaaaaaaaa"].join("-"),
  ["Bearer", "aaaaaaaa.bbbbbbbb"].join(" "),
  ["4111", "1111", "1111", "1111"].join(" "),
  "two  spaces, and    four",
  " ends with spaces  ",
  "\tand\r\nlines\n\n",
];

/** Longer than any of these texts with its surroundings. */
const WHOLE = 100;

/** One of these texts in its surroundings, sometimes twice or only a part of it. Shrinks to "". */
export function volatileText(): fc.Arbitrary<string> {
  // Drawn far beyond the text, so that most are whole; both ends shrink towards its inside.
  const dropped = fc.noBias(fc.integer({ min: -9 * WHOLE, max: 0 }));
  const kept = fc.noBias(fc.nat(10 * WHOLE));
  return fc.tuple(around(fc.constantFrom(...SAMPLES)), dropped, kept).map(([text, before, length]) => {
    const start = Math.max(0, before + WHOLE);
    const points = Array.from(text).slice(start, start + length);
    return points.join("");
  });
}

/** Surroundings of a text, with `_` in its place. */
const SURROUNDINGS = ["_", "use _ now", "key=_", "x_y", "_ _", "__", '"_"', "é_😀"];

/** A text in surroundings. Shrinks to itself. */
export function around(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(texts, fc.constantFrom(...SURROUNDINGS))
    .map(([text, surrounding]) => surrounding.replaceAll("_", () => text));
}

/** Conversations with such texts put into some of their messages. Shrinks to those without. */
export function withVolatile(conversations: fc.Arbitrary<LlmMessage[]>): fc.Arbitrary<LlmMessage[]> {
  const put = fc.record({ text: volatileText(), at: fc.nat(30) });
  return fc
    .tuple(conversations, fc.array(put, { maxLength: 3 }))
    .map(([messages, puts]) => puts.reduce((list, { text, at }) => append(list, at, text), messages));
}

/** Counts from the first question on, and around, so that the place stays when earlier messages shrink away. */
function append(messages: readonly LlmMessage[], at: number, text: string): LlmMessage[] {
  const first = messages.findIndex(({ role }) => role === "user");
  const index = (Math.max(0, first) + at) % messages.length;
  return messages.map((message, place): LlmMessage => {
    if (place !== index) return message;
    if (typeof message.content === "string") return { ...message, content: message.content + text };
    return { ...message, content: [...message.content, { type: "text", text }] } as LlmMessage;
  });
}
