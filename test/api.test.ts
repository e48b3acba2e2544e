// The reference of what the package exports: each export has a docstring and a place in the pages that `npm run api` makes, and
// llms.txt and the option tables of docs/cli.md are what it makes of the docs and the commands.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";
import { readDoors } from "./support/doors.js";
import { temporaryFolder } from "./support/temporary-folder.js";

const doors = readDoors();
const folder = temporaryFolder();
afterAll(() => folder.remove());

describe("the exports", () => {
  it("are found behind every door", () => {
    expect(doors.map(({ name }) => name)).toEqual(expect.arrayContaining(["playhead", "playhead/harness"]));
    expect(doors.filter(({ exports }) => exports.length === 0)).toEqual([]);
  });

  it.each(doors)("of $name have a docstring each", ({ exports }) => {
    const silent = exports.filter(({ documentation }) => documentation === "");
    expect(silent.map(({ file, name }) => `${file} ${name}`)).toEqual([]);
  });
});

describe("the reference that `npm run api` makes", () => {
  beforeAll(() => make("api", folder.path("api")), 300_000);

  it.each(doors)("has a page of $name with every export", ({ name, exports }) => {
    const page = readFileSync(folder.path(`api/${name}.md`), "utf8").replaceAll("\\_", "_");
    const headings = new Set([...page.matchAll(/^### (?:abstract )?([\w$]+)/gm)].map((match) => match[1]));
    expect(exports.filter((one) => !headings.has(one.name)).map((one) => one.name)).toEqual([]);
  });
});

describe("llms.txt", () => {
  const text = readFileSync(join(repositoryRoot, "llms.txt"), "utf8");

  it("lists every page of the docs", () => {
    const pages = readdirSync(join(repositoryRoot, "docs")).filter((name) => name.endsWith(".md"));
    expect(
      pages.filter((name) => !text.includes(`](docs/${name}): `)),
      UPDATE,
    ).toEqual([]);
  });

  it("has a title, a summary, and sections of links with a line each", () => {
    const [title, summary, about, ...sections] = text.trimEnd().split("\n\n");
    expect(title).toBe("# Playhead");
    expect(summary).toMatch(/^> \S/);
    expect(about).toMatch(/^\w/);
    const isHeading = /^## \w[\w ]*$/;
    const isList = /^(- \[[^\]]+\]\([\w./-]+\): \S.*\n?)+$/;
    expect(sections.filter((block, index) => !(index % 2 === 0 ? isHeading : isList).test(block))).toEqual([]);
  });

  it("is what `npm run api` makes of the docs", () => {
    make("llms", folder.path("llms.txt"));
    expect(readFileSync(folder.path("llms.txt"), "utf8"), UPDATE).toBe(text);
  });
});

describe("the option tables of docs/cli.md", () => {
  beforeAll(assertBuilt);

  it("are what `npm run api` makes of the commands", () => {
    make("options", folder.path("cli.md"));
    expect(readFileSync(folder.path("cli.md"), "utf8"), UPDATE).toBe(
      readFileSync(join(repositoryRoot, "docs/cli.md"), "utf8"),
    );
  });
});

const UPDATE = "run `npm run api` and commit what it changed";

function make(script: "api" | "llms" | "options", target: string): void {
  const { status, stderr } = spawnSync(process.execPath, [join(repositoryRoot, `scripts/${script}.mjs`), target], {
    encoding: "utf8",
  });
  expect(`${status} ${stderr}`).toMatch(/^0 /);
}
