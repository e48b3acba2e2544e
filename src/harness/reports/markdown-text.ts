// Escapes recorded text for GitHub-flavoured Markdown. The text shows as it is: it cannot create HTML, table cells, emphasis or
// links. It cannot mention a person, a team or another thread, which would notify people.

import { shorten, toVisible } from "../../core/index.js";

/** A zero-width space. It is invisible, and stops GitHub from turning text into a link. */
const BREAK = "&#8203;";

/** Escapes one line of text for a paragraph, a heading, a list or a table cell. */
export function escapeMarkdown(text: string): string {
  return toVisible(text)
    .replace(/[\\`*_{}[\]()<>#|~!$&@]|:(?=\S)|(?<=\bwww)\.|(?<=\bGH)-/gi, (sign) => {
      if (sign === "&") return "&amp;";
      if (sign === "<") return "&lt;";
      if (sign === ">") return "&gt;";
      // "@name", "#12", "https://", ":sign:", "www." and "GH-12" become links or images after Markdown is parsed.
      if ("@#:.-".includes(sign)) return sign === "#" ? `\\#${BREAK}` : `${sign}${BREAK}`;
      return `\\${sign}`;
    })
    .replace(/\b[0-9a-f]{7,40}\b/gi, (hex) => `${hex.slice(0, 3)}${BREAK}${hex.slice(3)}`);
}

const SHOWN_SPAN = 300;

/** A path on one line, outside tables, that can be copied as it is. Very long paths are cut. */
export function codeSpan(text: string): string {
  const cut = toVisible(shorten(text, SHOWN_SPAN));
  const longest = Math.max(0, ...(cut.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const gap = /^`|`$|^ .* $/.test(cut) || cut === "" ? " " : "";
  return `${fence}${gap}${cut}${gap}${fence}`;
}

/** Text in a fenced block, where nothing is parsed as markup. The fence is longer than any run of backticks in the text. */
export function codeBlock(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${toVisible(text)}\n${fence}`;
}
