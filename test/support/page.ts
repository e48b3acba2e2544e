// A page parsed again, as a browser would, for tests to inspect.

import { createRequire } from "node:module";

export interface PageAttribute {
  name: string;
  value: string;
}

/** The part of domino's DOM that the tests use. */
export interface PageElement {
  tagName: string;
  id: string;
  textContent: string;
  className: string;
  attributes: ArrayLike<PageAttribute>;
  children: ArrayLike<PageElement>;
  childNodes: ArrayLike<unknown>;
  parentElement: PageElement | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): ArrayLike<PageElement>;
}

interface Domino {
  createDocument(html: string): { documentElement: PageElement; body: PageElement };
}

const { createDocument } = createRequire(import.meta.url)("@mixmark-io/domino") as Domino;

export function parsePage(text: string): { documentElement: PageElement; body: PageElement } {
  return createDocument(text);
}

export function all(root: PageElement, selector: string): PageElement[] {
  return Array.from(root.querySelectorAll(selector));
}

export function one(root: PageElement, selector: string): PageElement {
  const found = all(root, selector);
  if (found.length !== 1) throw new Error(`${found.length} elements match ${selector}`);
  return found[0] as PageElement;
}
