// Every code block of the README and the docs runs, and prints what the document shows; a TypeScript one compiles as well. Guides
// that begin with `npm init` are followed by test/guides.test.ts. The blocks of docs/api are signatures, made from the sources:
// test/api.test.ts holds them to those.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";
import { isGuide, readSnippets, runSnippet, snippetPlace, typeErrors } from "./support/snippets.js";

assertBuilt();
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  ...readdirSync(join(repositoryRoot, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

for (const document of documents) {
  const snippets = readSnippets(document).filter((snippet) => snippet.language !== "text");
  if (snippets.length === 0 || isGuide(snippets)) continue;
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
