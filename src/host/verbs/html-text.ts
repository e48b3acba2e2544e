// The text of a page as a reader sees it: white space collapses, blocks begin on a new line, and `<pre>` does not change.

import type { DomNode } from "./html-parse.js";

const TEXT = 3;
const BLOCKS: ReadonlySet<string> = new Set(
  (
    "ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CAPTION DD DETAILS DIALOG DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 " +
    "H3 H4 H5 H6 HEADER HR LEGEND LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TFOOT THEAD TITLE TR UL"
  ).split(" "),
);
/** Blocks with an empty line around them. */
const PARAGRAPHS: ReadonlySet<string> = new Set("BLOCKQUOTE DL H1 H2 H3 H4 H5 H6 OL P PRE TABLE UL".split(" "));
const CELLS: ReadonlySet<string> = new Set(["TD", "TH"]);

/** Stops once there are `most` characters. Does not recurse. */
export function toPlainText(top: DomNode, most = Infinity): string {
  const lines = createLines();
  let preDepth = 0;
  const edge = (node: DomNode, step: 1 | -1) => {
    const name = node.nodeName;
    if (name === "PRE") preDepth += step;
    if (BLOCKS.has(name)) lines.breakLine(PARAGRAPHS.has(name) ? 2 : 1);
    else if (CELLS.has(name)) lines.space();
    else if (name === "BR" && step === 1) lines.breakLine(1);
  };
  for (let node: DomNode | null = top; node !== null && lines.size() < most;) {
    if (node.nodeType === TEXT) lines.add(node.nodeValue ?? "", preDepth > 0);
    else edge(node, 1);
    if (node.firstChild !== null) {
      node = node.firstChild;
      continue;
    }
    let at: DomNode = node;
    if (at.nodeType !== TEXT) edge(at, -1);
    while (at !== top && at.nextSibling === null) {
      at = at.parentNode as DomNode;
      edge(at, -1);
    }
    node = at === top ? null : at.nextSibling;
  }
  return lines.text();
}

interface Lines {
  add(text: string, isPre: boolean): void;
  space(): void;
  /** At least this many line ends before the next text. */
  breakLine(count: 1 | 2): void;
  size(): number;
  text(): string;
}

function createLines(): Lines {
  const parts: string[] = [];
  let size = 0;
  let breaks = 0;
  let hasSpace = false;
  const push = (text: string) => {
    if (size > 0 && breaks > 0) parts.push("\n".repeat(breaks));
    else if (size > 0 && hasSpace) parts.push(" ");
    breaks = 0;
    hasSpace = false;
    parts.push(text);
    size += text.length;
  };
  return {
    add(text, isPre) {
      if (isPre) {
        if (text !== "") push(text);
        return;
      }
      const words = text.split(/[ \t\n\r\f]+/);
      if (words[0] === "") hasSpace = true;
      const kept = words.filter((word) => word !== "");
      if (kept.length === 0) return;
      push(kept.join(" "));
      hasSpace = words.at(-1) === "";
    },
    space: () => void (hasSpace = true),
    breakLine: (count) => void (breaks = Math.max(breaks, count)),
    size: () => size,
    text: () => parts.join(""),
  };
}
