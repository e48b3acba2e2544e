// The pictures of the README are what scripts/pictures.mjs draws of today's output.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";
import { temporaryFolder } from "./support/temporary-folder.js";

assertBuilt();
const folder = temporaryFolder();
afterAll(() => folder.remove());

it("the pictures are those that the script draws, and the README shows each", { timeout: 120_000 }, () => {
  const script = join(repositoryRoot, "scripts/pictures.mjs");
  const { status, stderr } = spawnSync(process.execPath, [script, folder.path("")], { encoding: "utf8" });
  expect(`${status} ${stderr}`).toMatch(/^0 /);
  const committed = join(repositoryRoot, "docs/pictures");
  const names = readdirSync(committed).sort();
  expect(readdirSync(folder.path("")).sort()).toEqual(names);
  const read = (from: string) => names.map((name) => readFileSync(join(from, name), "utf8"));
  expect(read(folder.path("")), "run `node scripts/pictures.mjs` and commit what it changed").toEqual(read(committed));
  const readme = readFileSync(join(repositoryRoot, "README.md"), "utf8");
  expect(names.filter((name) => !readme.includes(`docs/pictures/${name}`))).toEqual([]);
});
