// `--jobs`: however many threads share the files, what is printed is the same. Real processes of the compiled package.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { CALL_ORDERS } from "../../../src/cassette/index.js";
import { MAX_JOBS } from "../../../src/cli/limits.js";
import {
  METRIC_CHOICES,
  MUTANT_CHOICES,
  ORDER_CHOICES,
  REPORTER_CHOICES,
  VERDICT_CHOICES,
} from "../../../src/cli/options/values.js";
import { lostFailure } from "../../../src/cli/threads.js";
import { VERDICTS } from "../../../src/harness/drift/gate-report.js";
import { MUTANT_KINDS } from "../../../src/harness/index.js";
import { METRICS } from "../../../src/harness/drift/metrics/figures.js";
import { REPORTER_NAMES } from "../../../src/harness/reports/registry.js";
import { MAX_THREADS } from "../../../src/host/index.js";
import { call, runOf, stepsOf } from "../../cassette/diff/runs.js";
import { assertBuilt, cassetteBin } from "../../support/built.js";
import { cli, documentOf, folder, place } from "../run.js";

const COUNT = 40;

beforeAll(() => {
  assertBuilt();
  for (const side of ["old", "new"]) mkdirSync(join(folder, side, "inner"), { recursive: true });
  for (let index = 0; index < COUNT; index++) {
    const name = index % 2 === 0 ? `${index}` : `inner/${index}`;
    place(`old/${name}.cassette.json`, stepsOf(call("search", { query: index })));
    place(`new/${name}.cassette.json`, stepsOf(call("search", { query: index % 7 === 0 ? "other" : index })));
  }
  const { CI: _ci, ...env } = process.env;
  const { status, stderr } = run(["lock", "old", "--file", "cassettes.lock"], env);
  if (status !== 0) throw new Error(stderr);
  place("old/new-here.cassette.json", runOf([{ say: "a" }]));
  const edited = readFileSync(join(folder, "old/4.cassette.json"), "utf8").replace('"query": 4', '"query": 5');
  writeFileSync(join(folder, "old/4.cassette.json"), edited);
  writeFileSync(join(folder, "old/inner/bad.cassette.json"), "{");
  writeFileSync(join(folder, "old/broken.bundle.json"), "[]");
  rmSync(join(folder, "old/inner/9.cassette.json"));
});

function run(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const options = { cwd: folder, encoding: "utf8", env } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [cassetteBin, ...args], options);
  return { status, stdout, stderr };
}

describe("--jobs", () => {
  /** The output of one thread, which that of three was found to be the same as. */
  function runBoth(...args: string[]) {
    const alone = run([...args, "--jobs", "1"]);
    expect(run([...args, "--jobs", "3"])).toEqual(alone);
    return alone;
  }

  it("of 1 and of 3 prints the same verdicts", () => {
    const { status, stdout } = runBoth("verify", "old", "--json");
    expect({ status, ...(JSON.parse(stdout) as object) }).toMatchObject({
      status: 3,
      summary: { files: 42, ok: 39, refused: 3 },
    });
  });

  it("of 1 and of 3 prints the same of a lock", () => {
    const { status, stdout } = runBoth("verify", "old", "--lock");
    expect(status).toBe(3);
    expect(stdout).toContain("it is missing: the lock lists it");
    expect(stdout).toContain("it is new: the lock has no");
  });

  it("of 1 and of 3 refuses the same files", () => {
    const { status, stdout } = runBoth("diff", "old", "new", "--json");
    expect(status).toBe(3);
    expect((JSON.parse(stdout) as { refused: unknown[] }).refused).toHaveLength(2);
  });

  it("of 1 and of 3 prints the same drifts, tolerated or not", () => {
    for (const name of ["4", "inner/bad"]) rmSync(join(folder, `old/${name}.cassette.json`));
    const { status, stdout } = runBoth("diff", "old", "new");
    expect(status).toBe(1);
    expect(stdout).toContain("drift: 38 tasks compared, 32 same, 6 drifted");
    const tolerances = { version: 1, tools: { search: { "/query": "ignore" } } };
    writeFileSync(join(folder, "some.tolerances.json"), JSON.stringify(tolerances));
    const tolerant = runBoth("diff", "old", "new", "--json", "--tolerances", "some.tolerances.json");
    expect(JSON.parse(tolerant.stdout)).toMatchObject({ summary: { drifted: 0 }, tolerances: [{ times: 6 }] });
  });

  it.each(["0", "-1", "1.5", "65", "many", ""])("is a number from 1 to 64, not %j", async (jobs) => {
    for (const argv of [
      ["verify", "old", "--json", `--jobs=${jobs}`],
      ["diff", "old", "new", "--json", `--jobs=${jobs}`],
    ]) {
      const ran = await cli(argv);
      expect(documentOf(ran).error).toMatchObject({
        code: "usage",
        message: expect.stringContaining("Give a whole number from 1 to 64.") as string,
      });
    }
  });

  it("has the limit of the host", () => {
    expect(MAX_JOBS).toBe(MAX_THREADS);
  });
});

describe("lostFailure", () => {
  it("names the file, and what to do", () => {
    expect(lostFailure("a.json", { kind: "died", message: "out of memory" })).toMatchObject({
      exitCode: 2,
      code: "thread-died",
      message: "the thread that read it died: out of memory",
      file: "a.json",
      hint: expect.stringContaining("--jobs 1") as string,
    });
    expect(lostFailure("a.json", { kind: "threw", name: "TypeError", message: "boom" })).toMatchObject({
      exitCode: 2,
      code: "internal",
      message: "TypeError: boom",
      file: "a.json",
    });
  });
});

describe("--max-bytes", () => {
  it.each([
    ["verify", ["verify"]],
    ["show", ["show"]],
    ["show --html", ["show", "--html=page.html"]],
    ["stats", ["stats"]],
    ["diff", ["diff", "new/0.cassette.json"]],
  ])("of %s reads up to that many bytes", async (_, argv) => {
    const file = "new/0.cassette.json";
    const size = readFileSync(join(folder, file)).length;
    expect((await cli([...argv, file, `--max-bytes=${size}`])).code).toBe(0);
    const ran = await cli([...argv, file, `--max-bytes=${size - 1}`]);
    expect(ran.code).toBe(3);
    expect(ran.out + ran.err).toContain(`has ${size} bytes, more than the limit of ${size - 1}`);
  });

  it.each(["0", "-1", "64MiB", "500000001", ""])("is a number of bytes, not %j", async (bytes) => {
    const ran = await cli(["show", "new/0.cassette.json", `--max-bytes=${bytes}`]);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toContain("Give a whole number from 1 to 500000000.");
  });
});

it.each(["1", "2"])("a file that is beyond the memory is refused and the others are verified, --jobs %s", (jobs) => {
  mkdirSync(join(folder, "heavy"));
  place("heavy/a.cassette.json", runOf([{ say: "a" }]));
  place("heavy/z.cassette.json", runOf([{ say: "z" }]));
  writeFileSync(join(folder, "heavy/m.cassette.json"), `{"entries":[${"{},".repeat(6_000_000)}{}]}`);
  const env = { ...process.env, NODE_OPTIONS: "--max-old-space-size=128" };
  const { status, stdout } = run(["verify", "heavy", "--json", "--jobs", jobs], env);
  rmSync(join(folder, "heavy"), { recursive: true });
  expect(status).toBe(3);
  const { summary, files } = JSON.parse(stdout) as { summary: object; files: { error?: object }[] };
  expect(summary).toMatchObject({ files: 3, ok: 2, refused: 1 });
  expect(files[1]?.error).toMatchObject({ code: "too-large" });
});

it("lists the words that the layers below take", () => {
  expect(ORDER_CHOICES).toEqual(CALL_ORDERS);
  expect(VERDICT_CHOICES).toEqual(VERDICTS);
  expect(METRIC_CHOICES).toEqual(METRICS);
  expect(REPORTER_CHOICES).toEqual(REPORTER_NAMES);
  expect(MUTANT_CHOICES).toEqual(MUTANT_KINDS);
});
