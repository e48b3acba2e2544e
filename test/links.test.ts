// Every link between pages leads to a file, and to a heading of it if it names one.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "./support/built.js";

const markdownIn = (folder: string) =>
  readdirSync(join(repositoryRoot, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
const pages = [...markdownIn("."), ...markdownIn("docs"), ...markdownIn("docs/internal"), "bench/README.md"];

/** The text of a page without its code blocks. */
function prose(page: string): string {
  return readFileSync(join(repositoryRoot, page), "utf8").replaceAll(/^\s*```.*?^\s*```/gms, "");
}

/** The anchors that GitHub gives the headings of a page. */
function anchors(page: string): string[] {
  return Array.from(prose(page).matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

it("finds no link that leads nowhere", () => {
  const links = pages.flatMap((page) =>
    Array.from(prose(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g), ([, path = "", anchor]) => ({
      page,
      target: path === "" ? page : normalize(join(dirname(page), path)),
      anchor,
    })),
  );
  expect(links.length).toBeGreaterThan(200);
  const broken = links.filter(({ target, anchor }) => {
    if (!existsSync(join(repositoryRoot, target))) return true;
    return anchor !== undefined && !anchors(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});

it("finds every page in the index", () => {
  const index = readFileSync(join(repositoryRoot, "docs/README.md"), "utf8");
  const names = readdirSync(join(repositoryRoot, "docs")).filter(
    (name) => name.endsWith(".md") && name !== "README.md",
  );
  expect(names.filter((name) => !index.includes(`](${name})`))).toEqual([]);
});
