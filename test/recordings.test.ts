// The example recordings in cassettes/: all of them are locked, hold, and hold by the second implementation.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nodeFiles } from "../src/host/files.js";
import { runCli } from "../src/cli/main.js";
import { repositoryRoot } from "./support/built.js";

const names = readdirSync(join(repositoryRoot, "cassettes"), { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".cassette.json"));

it("every recording in cassettes/ is locked and holds by both implementations", async () => {
  let out = "";
  const code = await runCli(
    ["verify", "cassettes", "--lock=cassettes/cassettes.lock", "--require-integrity", "--independent", "--json"],
    {
      stdout: (text) => void (out += text),
      stderr: () => undefined,
      env: {},
      cwd: repositoryRoot,
      isTTY: false,
      stderrIsTTY: false,
      files: nodeFiles(),
    },
  );
  const { files, independent } = JSON.parse(out) as {
    files: { status: string; independent: { notRecomputed: object } }[];
    independent: { hashes: number };
  };
  expect(code).toBe(0);
  expect(files).toHaveLength(names.length);
  expect(files.map(({ status }) => status)).toEqual(names.map(() => "ok"));
  expect(files.map((file) => file.independent.notRecomputed)).toEqual(names.map(() => ({})));
  // Two hashes for each turn, and one for each envelope.
  expect(independent.hashes).toBeGreaterThan(names.length * 3);
});

it("cassettes/README.md names every folder that holds recordings, and git ignores none", () => {
  const page = readFileSync(join(repositoryRoot, "cassettes/README.md"), "utf8");
  const folders = [...new Set(names.map((name) => name.slice(0, name.lastIndexOf("/") + 1)))];
  expect(folders.length).toBeGreaterThan(2);
  expect(folders.filter((folder) => !page.includes(`\`${folder}\``))).toEqual([]);
  const ignored = readFileSync(join(repositoryRoot, ".gitignore"), "utf8").split("\n");
  expect(ignored.filter((line) => line.replaceAll("/", "") === "cassettes")).toEqual([]);
});

it("the README says where recordings go and how to keep unreviewed ones apart, and git ignores those of this repository", () => {
  const page = readFileSync(join(repositoryRoot, "README.md"), "utf8");
  expect(page).toMatch(
    /`__cassettes__\/` next to each test file\. Commit that folder, and review its files like code\./,
  );
  expect(page).toMatch(/unreviewed recordings apart, set `CASSETTE_DIR` to an ignored folder/);
  expect(readFileSync(join(repositoryRoot, ".gitignore"), "utf8").split("\n")).toContain("__cassettes__/");
});
