// Every code block of the README and the docs runs, and prints what the document shows; a TypeScript one compiles as well. Guides
// that begin with `npm init` are followed by test/guides.test.ts. The blocks of docs/api are signatures, made from the sources:
// test/api.test.ts holds them to those. The documents are dealt out to the files of test/docs, so that they run side by side.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assertBuilt, repositoryRoot } from "./built.js";
import { isGuide, readSnippets, runSnippet, snippetPlace, typeErrors } from "./snippets.js";

assertBuilt();

const documents = [
  "README.md",
  "ARCHITECTURE.md",
  ...readdirSync(join(repositoryRoot, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** As many as there are files in test/docs. */
const SHARES = 4;

/** The tests of every document whose place in the list leaves `share` when divided by `SHARES`. */
export function testDocuments(share: number): void {
  for (const document of documents.filter((_, place) => place % SHARES === share)) testDocument(document);
}

function testDocument(document: string): void {
  const snippets = readSnippets(document).filter((snippet) => snippet.language !== "text");
  if (snippets.length === 0 || isGuide(snippets)) return;
  describe(document, { sequential: true }, () => {
    const place = snippetPlace(document);
    if (snippets.some(({ language }) => language === "ts")) {
      test("its ts blocks compile under strict", { timeout: 120_000 }, () => {
        expect(typeErrors(snippets)).toEqual([]);
      });
    }
    for (const snippet of snippets) {
      test(`line ${snippet.line} runs`, { timeout: 120_000 }, () => {
        expect(() => runSnippet(snippet, place)).not.toThrow();
      });
    }
  });
}
