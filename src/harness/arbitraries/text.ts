// Arbitrary text of any script, always well-formed, with the characters that break code. Shrinks to "".

import fc from "fast-check";
import { assertKnownOptions } from "../../core/index.js";
import { either } from "./either.js";

/** Texts that code tends to trip over: empty, control characters, line ends, two spellings of one letter, names of members. */
export const AWKWARD_TEXTS: readonly string[] = [
  ...["", "\u0000", "\u2028", '"\\', "\r\n", "é", "e\u0301", "𝄞", "__proto__", "\uFEFF", "\u202e", "undefined"],
  ...["</script>", "../.."],
];

/** Well-formed text of any script, awkward characters included: `maxLength` code points (default 12) at most. */
export function text(options: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  assertKnownOptions("text", options, ["maxLength"]);
  const { maxLength = 12 } = options;
  const fits = (drawn: string): boolean => Array.from(drawn).length <= maxLength;
  return either(
    fc.constant(""),
    fc.string({ unit: codePoint(), maxLength }),
    fc.string({ unit: "binary-ascii", maxLength }),
    // A grapheme is several code points, so fewer of them are taken.
    fc.string({ unit: "grapheme", maxLength: Math.floor(maxLength / 4) }).filter(fits),
    fc.constantFrom(...AWKWARD_TEXTS.filter(fits)),
  );
}

const [SURROGATES_FROM, SURROGATES] = [0xd800, 0x800];

/** Any code point of well-formed text. It draws what the unit "binary" draws, which first makes a table of them all: 2 s. */
function codePoint(): fc.Arbitrary<string> {
  const skip = (index: number): number => (index < SURROGATES_FROM ? index : index + SURROGATES);
  return fc.integer({ min: 0, max: 0x10ffff - SURROGATES }).map((index) => String.fromCodePoint(skip(index)), indexOf);
}

function indexOf(character: unknown): number {
  const point = typeof character === "string" ? character.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== character) throw new TypeError("not a code point");
  return point < SURROGATES_FROM ? point : point - SURROGATES;
}

/** A name for a tool or argument: a letter, then letters, digits and `_`; eight characters at most. */
export function word(): fc.Arbitrary<string> {
  const names = fc.constantFrom("a", "b", "name", "city", "count", "path");
  return either(names, fc.stringMatching(/^[a-z][a-zA-Z0-9_]{0,7}$/)).filter((name) => !(name in {}));
}
