// Arbitrary text: any script, the characters that break code which counts, compares, prints or escapes them, and nothing that
// JSON cannot keep, so no half of a surrogate pair. Shrinks to "".

import fc from "fast-check";
import { assertKnownOptions } from "../../core/index.js";

/** The options of the arbitraries of text. An unknown one is `AgentError` `invalid-options`. */
export interface TextOptions {
  /** Code points, the most. Default 12. */
  readonly maxLength?: number;
}

/** Texts that code tends to trip over: empty, control characters, line ends, two spellings of one letter, names of members. */
export const AWKWARD_TEXTS: readonly string[] = [
  "",
  "\u0000",
  "\u2028",
  '"\\',
  "\r\n",
  "é",
  "e\u0301",
  "𝄞",
  "__proto__",
  "\uFEFF",
  "\u202e",
  "undefined",
  "</script>",
  "../..",
];

/** Well-formed text of any script, awkward characters included. */
export function text(options: TextOptions = {}): fc.Arbitrary<string> {
  assertKnownOptions("text", options, ["maxLength"]);
  const { maxLength = 12 } = options;
  const fitting = AWKWARD_TEXTS.filter((awkward) => Array.from(awkward).length <= maxLength);
  return fc.oneof(
    { withCrossShrink: true },
    fc.constant(""),
    fc.string({ unit: "binary", maxLength }),
    fc.string({ unit: "binary-ascii", maxLength }),
    // A grapheme is several code points, so fewer of them are taken.
    fc
      .string({ unit: "grapheme", maxLength: Math.floor(maxLength / 4) })
      .filter((it) => Array.from(it).length <= maxLength),
    fc.constantFrom(...fitting),
  );
}

/** A name as people write them for tools and arguments: a letter, then letters, digits and `_`; eight characters at most. */
export function word(): fc.Arbitrary<string> {
  const names = ["a", "b", "name", "city", "count", "path"];
  return fc
    .oneof({ withCrossShrink: true }, fc.constantFrom(...names), fc.stringMatching(/^[a-z][a-zA-Z0-9_]{0,7}$/))
    .filter((name) => !(name in {}));
}
