// A page as it is read: what is hidden taken out, links made absolute, and the rest as text, as Markdown or as its links.

import { VerbError } from "./error.js";
import { parseHtml, type DomDocument, type DomElement, type DomNode } from "./html-parse.js";
import { toPlainText } from "./html-text.js";

export interface Link {
  readonly uri: string;
  readonly text: string;
}

export interface Page {
  readonly title: string;
  /** In the order of the page, each URL once, http(s) and file alone. */
  readonly links: readonly Link[];
  text(): string;
  markdown(): Promise<string>;
}

/** Elements inside one another: beyond it a page is refused, as its conversion recurses. */
const MAX_DEPTH = 256;
/** Quotations and lists inside one another, whose prefixes multiply line by line. */
const MAX_INDENTS = 32;
const MAX_NODES = 200_000;
const MAX_LINKS = 5_000;
const MAX_TITLE = 300;
const MAX_LINK_TEXT = 200;

const HIDDEN: ReadonlySet<string> = new Set(
  "AUDIO CANVAS EMBED HEAD IFRAME MATH NOSCRIPT OBJECT SCRIPT STYLE SVG TEMPLATE VIDEO".split(" "),
);
const INDENTING: ReadonlySet<string> = new Set(["BLOCKQUOTE", "OL", "UL"]);
const ELEMENT = 1;
const COMMENT = 8;

/** `base` is where the page came from. Rejects with `VerbError` `content` for a page beyond the limits. */
export async function readPage(html: string, base: URL, signal: AbortSignal): Promise<Page> {
  const document = await parseHtml(html, signal);
  const title = oneLine(document.title, MAX_TITLE);
  const body = document.body ?? document.documentElement;
  if (body === null) return { title, links: [], text: () => "", markdown: async () => "" };
  const links = clean(body, baseOf(document, base));
  return { title, links, text: () => toPlainText(body), markdown: () => toMarkdown(body) };
}

/** The title alone, of as much of a page as there is. */
export async function readTitle(html: string, signal: AbortSignal): Promise<string> {
  return oneLine((await parseHtml(html, signal)).title, MAX_TITLE);
}

function baseOf(document: DomDocument, base: URL): URL {
  const href = document.querySelector("base[href]")?.getAttribute("href") ?? "";
  return URL.canParse(href, base.href) ? new URL(href, base) : base;
}

/** One pass without recursion, since the depth is only known after it. */
function clean(body: DomElement, base: URL): Link[] {
  const anchors = new Map<string, DomElement>();
  let [nodes, depth, indents] = [0, 0, 0];
  const leave = (node: DomNode) => {
    depth -= 1;
    if (INDENTING.has(node.nodeName)) indents -= 1;
  };
  for (let node: DomNode | null = body; node !== null;) {
    if (++nodes > MAX_NODES) throw tooComplicated(`${MAX_NODES} elements and texts`);
    const isDropped: boolean = node !== body && isHidden(node);
    if (!isDropped && node.nodeType === ELEMENT) readAttributes(node as DomElement, base, anchors);
    const child: DomNode | null = isDropped ? null : node.firstChild;
    if (child !== null) {
      depth += 1;
      if (INDENTING.has(node.nodeName)) indents += 1;
      if (depth > MAX_DEPTH) throw tooComplicated(`${MAX_DEPTH} elements inside one another`);
      if (indents > MAX_INDENTS) throw tooComplicated(`${MAX_INDENTS} lists and quotations inside one another`);
      node = child;
      continue;
    }
    const next = following(node, body, leave);
    if (isDropped) (node as DomElement).remove();
    node = next;
  }
  // Their text is read last, when what is hidden in them is gone.
  return [...anchors].map(([uri, anchor]) => ({
    uri,
    text: oneLine(toPlainText(anchor, MAX_LINK_TEXT), MAX_LINK_TEXT),
  }));
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
    if (isNew && anchors.size < MAX_LINKS) anchors.set(uri, element);
  }
}

/** Undefined for what nobody can open: scripts, mail, data. */
function absolute(value: string, base: URL): string | undefined {
  if (!URL.canParse(value, base.href)) return undefined;
  const url = new URL(value, base);
  return ["http:", "https:", "file:"].includes(url.protocol) ? url.href : undefined;
}

interface Converter {
  turndown(node: DomNode): string;
}
type ConverterClass = new (options: Readonly<Record<string, string>>) => Converter;

let loading: Promise<ConverterClass> | undefined;

/** The name is no literal for the reason that html-parse.ts gives. */
async function toMarkdown(body: DomElement): Promise<string> {
  const name: string = "turndown";
  loading ??= import(name).then((module: { default: ConverterClass }) => module.default);
  const Turndown = await loading;
  const options = { headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" };
  return new Turndown(options).turndown(body);
}

function oneLine(text: string, most: number): string {
  return text
    .slice(0, most * 4)
    .split(/\s+/)
    .filter(Boolean)
    .join(" ")
    .slice(0, most)
    .toWellFormed();
}

function tooComplicated(what: string): VerbError {
  return new VerbError("content", `the page has more than ${what}`);
}
