// The first pass over a page: removes what is hidden, makes links absolute, checks limits. It does not recurse, as the depth is unknown.

import { MAX_HTML_DEPTH, MAX_HTML_INDENTS, MAX_HTML_NODES, MAX_PAGE_LINKS } from "../limits.js";
import { VerbError } from "./error.js";
import type { DomElement, DomNode } from "./html-parse.js";

interface CleanPage {
  /** The first anchor of each URL, in the order of the page. */
  readonly anchors: ReadonlyMap<string, DomElement>;
  /** The nodes below elements without text, counted once for each such element. */
  readonly emptyWork: number;
}

const HIDDEN: ReadonlySet<string> = new Set(
  "AUDIO CANVAS DATALIST EMBED HEAD IFRAME MATH NOSCRIPT OBJECT SCRIPT SELECT STYLE SVG TEMPLATE VIDEO".split(" "),
);
const INDENTING: ReadonlySet<string> = new Set(["BLOCKQUOTE", "OL", "UL"]);
const ELEMENT = 1;
const TEXT = 3;
const COMMENT = 8;

/** The summary of an element's descendants. */
interface Frame {
  nodes: number;
  hasText: boolean;
}

/** Changes the page. Throws `VerbError` `content` for one beyond the limits. */
export function cleanPage(body: DomElement, base: URL): CleanPage {
  const anchors = new Map<string, DomElement>();
  const frames: Frame[] = [];
  let [nodes, indents, emptyWork] = [0, 0, 0];
  const add = ({ nodes: below, hasText }: Frame) => {
    if (!hasText) emptyWork += below;
    const outer = frames.at(-1);
    if (outer === undefined) return;
    outer.nodes += below;
    outer.hasText ||= hasText;
  };
  const leave = (node: DomNode) => {
    if (INDENTING.has(node.nodeName)) indents -= 1;
    add(frames.pop() as Frame);
  };
  for (let node: DomNode | null = body; node !== null;) {
    if (++nodes > MAX_HTML_NODES) throw tooComplicated(`${MAX_HTML_NODES} elements and texts`);
    const isDropped: boolean = node !== body && isHidden(node);
    if (!isDropped && node.nodeType === ELEMENT) readAttributes(node as DomElement, base, anchors);
    const child: DomNode | null = isDropped ? null : node.firstChild;
    if (child !== null) {
      frames.push({ nodes: 1, hasText: false });
      if (INDENTING.has(node.nodeName)) indents += 1;
      if (frames.length > MAX_HTML_DEPTH) throw tooComplicated(`${MAX_HTML_DEPTH} elements inside one another`);
      if (indents > MAX_HTML_INDENTS)
        throw tooComplicated(`${MAX_HTML_INDENTS} lists and quotations inside one another`);
      node = child;
      continue;
    }
    if (!isDropped) add({ nodes: 1, hasText: node.nodeType === TEXT && /\S/.test(node.nodeValue ?? "") });
    const next = following(node, body, leave);
    if (isDropped) (node as DomElement).remove();
    node = next;
  }
  return { anchors, emptyWork };
}

function following(node: DomNode, top: DomNode, leave: (node: DomNode) => void): DomNode | null {
  for (let at: DomNode = node; at !== top; at = at.parentNode as DomNode) {
    if (at.nextSibling !== null) return at.nextSibling;
    leave(at.parentNode as DomNode);
  }
  return null;
}

function isHidden(node: DomNode): boolean {
  if (node.nodeType === COMMENT) return true;
  if (node.nodeType !== ELEMENT) return false;
  if (HIDDEN.has(node.nodeName.toUpperCase())) return true;
  const element = node as DomElement;
  if (element.getAttribute("hidden") !== null || element.getAttribute("aria-hidden") === "true") return true;
  const style = element.getAttribute("style") ?? "";
  return /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
}

function readAttributes(element: DomElement, base: URL, anchors: Map<string, DomElement>): void {
  for (const name of ["href", "src"]) {
    const value = element.getAttribute(name);
    if (value === null) continue;
    const uri = absolute(value, base);
    if (uri === undefined) {
      element.removeAttribute(name);
      continue;
    }
    element.setAttribute(name, uri);
    const isNew = name === "href" && element.nodeName === "A" && !anchors.has(uri);
    if (isNew && anchors.size < MAX_PAGE_LINKS) anchors.set(uri, element);
  }
}

/** Undefined for other schemes, such as scripts, mail or data. */
function absolute(value: string, base: URL): string | undefined {
  if (!URL.canParse(value, base.href)) return undefined;
  const url = new URL(value, base);
  return ["http:", "https:", "file:"].includes(url.protocol) ? url.href : undefined;
}

function tooComplicated(what: string): VerbError {
  return new VerbError("content", `the page has more than ${what}`);
}
