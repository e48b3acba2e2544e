// Recorded text inside GitHub-flavoured Markdown. It is shown as it is and does nothing: no HTML, no table cell or emphasis of its
// own, no link, and no mention of a person, a team or another thread, which would send people messages.

import { shorten, toVisible } from "../../core/index.js";

/** Zero-width space: seen by nobody, and it ends what GitHub would turn into a link. */
const BREAK = "&#8203;";

/** One line of text, safe in a paragraph, a heading, a list and a table cell. */
export function escapeMarkdown(text: string): string {
  return toVisible(text)
    .replace(/[\\`*_{}[\]()<>#|~!$&@]|:(?=\S)|(?<=\bwww)\.|(?<=\bGH)-/gi, (sign) => {
      if (sign === "&") return "&amp;";
      if (sign === "<") return "&lt;";
      if (sign === ">") return "&gt;";
      // "@name", "#12", "https://", ":sign:", "www." and "GH-12" become links or pictures after Markdown was read.
      if ("@#:.-".includes(sign)) return sign === "#" ? `\\#${BREAK}` : `${sign}${BREAK}`;
      return `\\${sign}`;
    })
    .replace(/\b[0-9a-f]{7,40}\b/gi, (hex) => `${hex.slice(0, 3)}${BREAK}${hex.slice(3)}`);
}

const SHOWN_SPAN = 300;

/** A path on one line, outside tables, that can be copied as it is; cut where it is very long. */
export function codeSpan(text: string): string {
  const cut = toVisible(shorten(text, SHOWN_SPAN));
  const longest = Math.max(0, ...(cut.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const gap = /^`|`$|^ .* $/.test(cut) || cut === "" ? " " : "";
  return `${fence}${gap}${cut}${gap}${fence}`;
}

/** Text in a fenced block, where nothing is read as markup; the fence is longer than any in the text. */
export function codeBlock(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${toVisible(text)}\n${fence}`;
}
