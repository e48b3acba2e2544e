// Runs every code block of the README and the docs, and compares the output with the page. A TypeScript block is
// compiled too. Guides that begin with `npm init` are followed by test/guides.test.ts. The documents are shared among
// the files of test/docs, so that they run in parallel.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assertBuilt, repositoryRoot } from "./built.js";
import { isGuide, readSnippets, runSnippet, snippetPlace, typeErrors } from "./snippets.js";

assertBuilt();

const documents = [
  "README.md",
  "ARCHITECTURE.md",
  ...["docs", "docs/internal"].flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

/** The number of files in test/docs. */
const SHARES = 4;

/** The tests of the documents of one share, from 0. */
export function testDocuments(share: number): void {
  for (const document of dealt()[share] ?? []) testDocument(document);
}

/** All documents in shares with about the same number of snippets: the largest first, each to the smallest share. */
function dealt(): string[][] {
  const shares = Array.from({ length: SHARES }, () => ({ size: 0, names: [] as string[] }));
  const sized = documents.map((name) => ({ name, size: snippetsOf(name).length })).sort((x, y) => y.size - x.size);
  for (const { name, size } of sized) {
    const least = shares.reduce((best, next) => (next.size < best.size ? next : best));
    least.size += size;
    least.names.push(name);
  }
  return shares.map(({ names }) => names);
}

/** The snippets of a document to run. A guide has none here. */
function snippetsOf(document: string) {
  const snippets = readSnippets(document).filter((snippet) => snippet.language !== "text");
  return isGuide(snippets) ? [] : snippets;
}

function testDocument(document: string): void {
  const snippets = snippetsOf(document);
  if (snippets.length === 0) return;
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
