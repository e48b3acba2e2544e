// The guides, followed word by word from an empty folder with the package as it is packed: each block in order, each output
// compared. scripts/trial.mjs does the same with a real install.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";
import { guideProject } from "./support/guide-project.js";
import { describePython } from "./support/python.js";
import { isGuide, readSnippets, runSnippet } from "./support/snippets.js";

assertBuilt();
const guides = readdirSync(join(repositoryRoot, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({ document: `docs/${name}`, snippets: readSnippets(`docs/${name}`) }))
  .filter(({ snippets }) => isGuide(snippets));

it("are there, and the README leads to each", () => {
  const readme = readFileSync(join(repositoryRoot, "README.md"), "utf8");
  expect(guides.map(({ document }) => document)).toEqual([
    "docs/background.md",
    "docs/python.md",
    "docs/ten-minutes.md",
    "docs/upgrade.md",
  ]);
  expect(guides.filter(({ document }) => !readme.includes(`](${document})`))).toEqual([]);
});

const needsPython = ({ document }: (typeof guides)[number]) => document === "docs/python.md";

describe.each(guides.filter((guide) => !needsPython(guide)))("$document", { sequential: true }, follow);

describePython("with Python", () => {
  describe.each(guides.filter(needsPython))("$document", { sequential: true }, follow);
});

function follow({ snippets }: (typeof guides)[number]): void {
  let project: ReturnType<typeof guideProject>;
  beforeAll(() => {
    project = guideProject();
  });
  afterAll(() => project.remove());

  const steps = snippets.filter(({ language }) => language !== "text").map((snippet) => ({ ...snippet, snippet }));
  it.each(steps)("line $line runs", { timeout: 300_000 }, ({ snippet }) => {
    expect(() => runSnippet(snippet, project)).not.toThrow();
  });
}
