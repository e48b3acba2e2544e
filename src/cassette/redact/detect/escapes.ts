// Escapes that end in a letter or a digit: `\n` in JSON that stands in a text, `%3D` in an address, the colours of a terminal.
// A token behind one stands at the beginning of a word, though the character before it belongs to a word. RFC 8259 §7 (also
// JSON in JSON), RFC 3986 §2.1 (also encoded again), ECMA-48 §5.4 (CSI, also as JSON and shells write it).

const CSI = `${String.fromCharCode(27)}\\[`;
/** Every repetition is bounded, and a run of backslashes is looked at from its first alone, so that time stays linear. */
const ESCAPE = new RegExp(
  `(?:${CSI}|(?<!\\\\)` +
    String.raw`\\{1,64}(?:u001[bB]|x1[bB]|033|e)\[)[0-9;?]{0,32}[A-Za-z]` +
    String.raw`|(?<!\\)\\{1,64}(?:[nrtbfv]|[ux](?<code>[0-9a-fA-F]{4}|(?<=x)[0-9a-fA-F]{2}))` +
    String.raw`|%(?:25){0,3}(?<percent>[0-9a-fA-F]{2})`,
  "g",
);
/** What any of them begins with. */
const START = new RegExp(`[\\\\%]|${CSI}`);

/** A text as long as the given one, with what each escape stands for at the end of its place; the text itself without any. */
export function withoutEscapes(text: string): string {
  if (!START.test(text)) return text;
  return text.replace(ESCAPE, (escape: string, code?: string, percent?: string) => {
    const char = String.fromCharCode(Number.parseInt(code ?? percent ?? "20", 16));
    return (/^[ -~]$/.test(char) ? char : " ").padStart(escape.length);
  });
}
