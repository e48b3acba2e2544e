import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { call, runOf } from "../../cassette/diff/runs.js";
import { assertBuilt } from "../../support/built.js";
import { cli, documentOf, folder, place } from "../run.js";

beforeAll(assertBuilt);

describe("lock, prune and stats", () => {
  it.each([
    ["lock", ["--file", "none.lock", "--check"]],
    ["prune", []],
    ["stats", ["--by", "model"]],
  ] as const)("%s has the same output on one thread and on two", async (command, options) => {
    const path = join(folder, command);
    mkdirSync(path);
    for (let at = 0; at < 12; at++)
      place(`${command}/${at}.cassette.json`, runOf([{ calls: [call(`t${at % 5}`)] }, { say: "done" }], `p${at % 3}`));
    writeFileSync(join(path, "broken.cassette.json"), "{");
    const run = (jobs: string) => cli([command, path, ...options, "--json", "--jobs", jobs]);
    const [one, two] = [await run("1"), await run("2")];
    expect(two).toEqual(one);
    expect(JSON.stringify(documentOf(one))).toContain("broken.cassette.json");
    expect(one.code).not.toBe(0);
  });
});
