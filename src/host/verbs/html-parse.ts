// Parses HTML with domino, which is loaded on first use. A hostile page can keep a tree builder busy for minutes (unclosed formatting
// elements multiply), so the parser runs in slices and stops at a timeout.

import { MAX_HTML_PARSE_MS } from "../limits.js";
import { VerbError } from "./error.js";

/** The part of domino's DOM that we use. */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly firstChild: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly parentNode: DomNode | null;
}

export interface DomElement extends DomNode {
  readonly innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
}

export interface DomDocument {
  readonly title: string;
  readonly body: DomElement | null;
  readonly documentElement: DomElement | null;
  querySelector(selector: string): DomElement | null;
}

interface Domino {
  createIncrementalHTMLParser(): {
    end(text: string): void;
    /** True while there is more to do. */
    process(shouldPause: () => boolean): boolean;
    document(): DomDocument;
  };
}

const SLICE_TIME = 20;

/** Rejects with `VerbError` `content` at the timeout, or with the signal's reason. */
export async function parseHtml(text: string, signal: AbortSignal): Promise<DomDocument> {
  const parser = (await load()).createIncrementalHTMLParser();
  parser.end(text);
  let spentMs = 0;
  for (let isMore = true; isMore;) {
    const start = performance.now();
    isMore = parser.process(() => performance.now() - start >= SLICE_TIME);
    spentMs += performance.now() - start;
    if (!isMore) break;
    if (spentMs > MAX_HTML_PARSE_MS) throw new VerbError("content", "the page is too complicated to be read");
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  return parser.document();
}

let loading: Promise<Domino> | undefined;

/** The name is not a literal, because the package's types need those of the browser. */
function load(): Promise<Domino> {
  const name: string = "@mixmark-io/domino";
  loading ??= import(name).then((module: { default: Domino }) => module.default);
  return loading;
}
