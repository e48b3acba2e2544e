// A sample of the fuzzer on every run; `npm run fuzz -- --count 200000` is the whole of it. The fuzzer is a script over the
// compiled package, and here it is also held to what a careless reader lets through.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";

interface Report {
  seed: number;
  counts: Record<string, Record<string, Record<string, number>>>;
  broken: unknown[];
}

function node(args: string[]) {
  assertBuilt();
  return spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: "utf8", maxBuffer: 2 ** 26 });
}

const total = (outcomes: Record<string, number>) => Object.values(outcomes).reduce((sum, each) => sum + each, 0);

test("no mutation of any file crashes a reader, hangs it or loads with another meaning", { timeout: 120_000 }, () => {
  const result = node(["scripts/fuzz.mjs", "--count", "5000", "--seed", "1", "--json"]);
  expect(result.stderr).toBe("");
  const { counts, broken } = JSON.parse(result.stdout) as Report;
  expect(broken).toEqual([]);
  expect(result.status).toBe(0);
  expect(Object.keys(counts).sort()).toEqual([
    "bundle",
    "cassette",
    "envelope",
    "eval",
    "import",
    "lock",
    "receipts",
    "trust",
  ]);
  for (const [kind, levels] of Object.entries(counts))
    expect(Object.keys(levels).sort()).toEqual(kind === "eval" ? ["bytes"] : ["bytes", "structure", "tokens"]);
  const all = Object.values(counts).flatMap((levels) => Object.values(levels));
  expect(all.reduce((sum, outcomes) => sum + total(outcomes), 0)).toBe(5000);
  // Mutations that nothing survives would prove nothing.
  expect(counts["cassette"]?.["structure"]?.["loads, same meaning"]).toBeGreaterThan(50);
  expect(counts["eval"]?.["bytes"]?.["imports, same contents"]).toBeGreaterThan(0);
  expect(counts["eval"]?.["bytes"]?.["refused: log-unreadable"]).toBeGreaterThan(50);
});

test("a mutation is the same one whenever it is made", () => {
  const runs = [0, 1].map(() => node(["scripts/fuzz.mjs", "--seed", "7", "--only", "41"]).stdout);
  expect(runs[0]).toMatch(/^mutation 41 of seed 7: a /);
  expect(runs[0]).toBe(runs[1]);
});

const careless = `
  import { cassetteReader } from "./scripts/fuzz/readers.mjs";
  import { judgeMutation, makeMutation } from "./scripts/fuzz/run.mjs";
  const seeds = cassetteReader.seeds();
  const parse = (bytes) => JSON.parse(new TextDecoder().decode(bytes));
  const judge = (bytes, seed) => cassetteReader.judge(bytes, seed, parse);
  const readers = [{ ...cassetteReader, seeds: () => seeds, judge, share: 1 }];
  const why = new Set();
  for (let index = 0; index < 3000; index++) {
    const { broken } = await judgeMutation(makeMutation(readers, 1, index));
    if (broken !== undefined) why.add(broken.split(":")[0] + ":" + broken.split(":")[1]);
  }
  console.log(JSON.stringify([...why]));
`;

test(
  "a reader that checks nothing is found out, by its crashes and by what it lets through",
  { timeout: 120_000 },
  () => {
    const result = node(["--input-type=module", "-e", careless]);
    expect(result.stderr).toBe("");
    const why = (JSON.parse(result.stdout) as string[]).join("\n");
    for (const expected of [
      "it loads with another meaning",
      "it loads with other prompts",
      "SyntaxError",
      "TypeError",
    ]) {
      expect(why).toContain(expected);
    }
  },
);

const carelessArchives = `
  import { unzipSync } from "fflate";
  import { evalReader } from "./scripts/fuzz/eval.mjs";
  import { judgeMutation, makeMutation } from "./scripts/fuzz/run.mjs";
  const seeds = evalReader.seeds();
  // Unpacks without a look at any checksum, and keeps the members as they are.
  const importer = (bytes) => ({ code: 0, said: new TextDecoder().decode(Object.values(unzipSync(bytes))[0]) });
  const judge = (bytes, seed) => evalReader.judge(bytes, seed, importer);
  const readers = [{ ...evalReader, seeds: () => seeds, judge, share: 1 }];
  const { broken } = await judgeMutation({ ...makeMutation(readers, 1, 0), bytes: seeds[0].bytes });
  console.log(broken);
`;

test("an importer of archives that gives other contents is found out", { timeout: 180_000 }, () => {
  const result = node(["--input-type=module", "-e", carelessArchives]);
  expect(result.stderr).toBe("");
  expect(result.stdout.trim()).toBe("Error: it imports with other contents");
});
