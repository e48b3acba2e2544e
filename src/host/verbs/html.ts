// Reads a page as text, Markdown or links, without hidden content and with absolute links.

import { MAX_HTML_EMPTY_WORK, MAX_LINK_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS } from "../limits.js";
import { cleanPage } from "./html-clean.js";
import { toMarkdown, tooMuch } from "./html-markdown.js";
import { parseHtml, type DomDocument } from "./html-parse.js";
import { toPlainText } from "./html-text.js";

export interface Link {
  readonly uri: string;
  readonly text: string;
}

export interface Page {
  readonly title: string;
  /** In the order of the page, each URL once, only http(s) and file. */
  readonly links: readonly Link[];
  text(): string;
  markdown(): Promise<string>;
}

/** `base` is where the page came from. Rejects with `VerbError` `content` for a page beyond the limits. */
export async function readPage(html: string, base: URL, signal: AbortSignal): Promise<Page> {
  const document = await parseHtml(html, signal);
  const title = oneLine(document.title, MAX_TITLE_CHARACTERS);
  const body = document.body ?? document.documentElement;
  if (body === null) return { title, links: [], text: () => "", markdown: async () => "" };
  const { anchors, emptyWork } = cleanPage(body, baseOf(document, base));
  return {
    title,
    links: [...anchors].map(([uri, anchor]) => ({
      uri,
      text: oneLine(toPlainText(anchor, MAX_LINK_TEXT_CHARACTERS), MAX_LINK_TEXT_CHARACTERS),
    })),
    text: () => toPlainText(body),
    async markdown() {
      if (emptyWork > MAX_HTML_EMPTY_WORK) throw tooMuch();
      return toMarkdown(body.innerHTML, signal);
    },
  };
}

export async function readTitle(html: string, signal: AbortSignal): Promise<string> {
  return oneLine((await parseHtml(html, signal)).title, MAX_TITLE_CHARACTERS);
}

function baseOf(document: DomDocument, base: URL): URL {
  const href = document.querySelector("base[href]")?.getAttribute("href") ?? "";
  return URL.canParse(href, base.href) ? new URL(href, base) : base;
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
