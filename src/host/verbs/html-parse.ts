// HTML parsed by domino, which nobody needs who reads none: it is loaded on first use. A hostile page can keep any tree builder
// busy for minutes (unclosed formatting elements multiply), so the parser is run in slices and stopped when its time is up.

import { VerbError } from "./error.js";

/** The part of the DOM that we use of domino's. */
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

const SLICE_MS = 20;
/** Of work, not of waiting; a page of 2 MiB takes about two seconds (measured). */
const MAX_PARSE_MS = 5_000;

/** Rejects with `VerbError` `content` when it takes too long, or with the signal's reason. */
export async function parseHtml(text: string, signal: AbortSignal): Promise<DomDocument> {
  const parser = (await load()).createIncrementalHTMLParser();
  parser.end(text);
  let spentMs = 0;
  for (let isMore = true; isMore;) {
    const start = performance.now();
    isMore = parser.process(() => performance.now() - start >= SLICE_MS);
    spentMs += performance.now() - start;
    if (!isMore) break;
    if (spentMs > MAX_PARSE_MS) throw new VerbError("content", "the page is too complicated to be read");
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  return parser.document();
}

let loading: Promise<Domino> | undefined;

/** The name is no literal, since the package's types need the browser's, which Node code does not have. */
function load(): Promise<Domino> {
  const name: string = "@mixmark-io/domino";
  loading ??= import(name).then((module: { default: Domino }) => module.default);
  return loading;
}
