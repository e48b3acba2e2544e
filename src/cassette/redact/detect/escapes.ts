// Escapes that end in a letter or digit: `\n` of JSON inside a text, `%3D` in a URL, terminal colours. A token after one starts a
// word, although the character before it is a word character. RFC 8259 §7 (also JSON in JSON), RFC 3986 §2.1 (also encoded twice),
// ECMA-48 §5.4 (CSI, also in the notations of JSON and shells).

const CSI = `${String.fromCharCode(27)}\\[`;
/** Every repetition is bounded, and a run of backslashes matches only from its first, so that time stays linear. */
const ESCAPE = new RegExp(
  `(?:${CSI}|(?<!\\\\)` +
    String.raw`\\{1,64}(?:u001[bB]|x1[bB]|033|e)\[)[0-9;?]{0,32}[A-Za-z]` +
    String.raw`|(?<!\\)\\{1,64}(?:[nrtbfv]|[ux](?<code>[0-9a-fA-F]{4}|(?<=x)[0-9a-fA-F]{2}))` +
    String.raw`|%(?:25){0,3}(?<percent>[0-9a-fA-F]{2})`,
  "g",
);
/** The start of any escape. */
const START = new RegExp(`[\\\\%]|${CSI}`);

/** Replaces each escape with its character, padded on the left to the same length. Returns a text without escapes itself. */
export function withoutEscapes(text: string): string {
  if (!START.test(text)) return text;
  return text.replace(ESCAPE, (escape: string, code?: string, percent?: string) => {
    const char = String.fromCharCode(Number.parseInt(code ?? percent ?? "20", 16));
    return (/^[ -~]$/.test(char) ? char : " ").padStart(escape.length);
  });
}
