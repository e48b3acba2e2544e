// Every code block of the README and the docs runs, and prints what the document shows; a TypeScript one compiles as well. Not so
// those of docs/api: they are signatures, made from the sources themselves, and test/api.test.ts holds them to those.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";
import { readSnippets, runSnippet, snippetFolder, typeErrors } from "./support/snippets.js";

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
  if (snippets.length === 0) continue;
  describe(document, { sequential: true }, () => {
    const folder = snippetFolder(document);
    if (snippets.some(({ language }) => language === "ts")) {
      test("its ts blocks compile under strict", { timeout: 120_000 }, () => {
        expect(typeErrors(snippets)).toEqual([]);
      });
    }
    for (const snippet of snippets) {
      test(`line ${snippet.line} runs`, { timeout: 120_000 }, () => {
        expect(() => runSnippet(snippet, folder)).not.toThrow();
      });
    }
  });
}
