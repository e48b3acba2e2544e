import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { assertBuilt, compiledModule } from "../../support/built.js";
import { cli, documentOf, folder } from "../run.js";
import { contentsOf, writeSuite } from "./suite.js";

const env = { PATH: process.env["PATH"] ?? "" };
const NAMES = ["flights", "hotels", "nested/weather"];
let made = 0;

beforeAll(assertBuilt);

/** A new project with the suite. */
function project() {
  const cwd = join(folder, `project-${made++}`);
  const command = writeSuite(cwd);
  const record = (options: string[], words: string[] = [], more = {}) =>
    cli(["record", ...options, "--", ...command, ...words], { cwd, env: { ...env, ...more } });
  const shardFile = (into: string) =>
    JSON.parse(readFileSync(join(cwd, into, "shard.json"), "utf8")) as { units: { run: number; exitCode: number }[] };
  return { cwd, record, shardFile, at: (path: string) => join(cwd, path) };
}

describe("cassette record --runs", () => {
  it("keeps every run of every test under its number, and changes no cassette of the suite", async () => {
    const { cwd, record, at } = project();
    const { code, err } = await record(["--runs", "2", "--into", "cand"]);
    expect(code).toBe(0);
    expect(Object.keys(contentsOf(at("cand")))).toEqual(
      NAMES.flatMap((name) => [`${name}.1.cassette.json`, `${name}.2.cassette.json`]),
    );
    expect(readdirSync(cwd).sort()).toEqual(["cand", "suite.mjs"]);
    expect(readdirSync(at("cand")).filter((name) => name.startsWith("."))).toEqual([]);
    expect(err).toContain("2 runs to record, cost unknown: there is no cassette here to estimate it by");
    expect(err).toMatch(/run 1: 3 recordings, 0\.75 USD; 1 run left, about \d+ s\n/);
    expect(err).toContain("2 runs recorded, 6 recordings in cand\n");
    const drift = await cli(["drift", at("cand"), at("cand"), "--json"]);
    expect(documentOf(drift)).toMatchObject({ scenarios: NAMES.map((scenario) => ({ scenario })) });
  });

  it("records in CI too, since it replaces nothing", async () => {
    const { record } = project();
    expect((await record(["--runs", "1", "--into", "cand"], [], { CI: "true" })).code).toBe(0);
  });

  it("estimates the cost by the cassettes of the suite", async () => {
    const { record } = project();
    await record([]);
    const { err } = await record(["--runs", "2", "--into", "cand"]);
    expect(err).toContain("2 runs to record, about 1.5 USD, by 3 cassettes below this folder\n");
  });

  it("estimates the cost by another part where the suite has no cassette", async () => {
    const { record } = project();
    await record(["--runs", "2", "--into", "base"]);
    const { err } = await record(["--runs", "2", "--into", "cand"]);
    expect(err).toContain("2 runs to record, about 1.5 USD, by 6 cassettes below this folder\n");
  });

  it("goes on after a failed run, and exits 1 with its number", async () => {
    const { record, shardFile } = project();
    const { code, err } = await record(["--runs", "2", "--into", "cand"], ["--fail=hotels"]);
    expect([code, shardFile("cand").units.map(({ exitCode }) => exitCode)]).toEqual([1, [1, 1]]);
    expect(err).toContain("exit code 1");
    expect(err).toContain("2 runs recorded, 6 recordings in cand; failed: 1, 2\n");
  });

  it("begins no run that could exceed the cost, and resumes with a higher limit", async () => {
    const { record, at } = project();
    const first = await record(["--runs", "3", "--into", "cand", "--max-cost-usd", "1"]);
    expect(first.code).toBe(2);
    expect(first.err).toContain("stopped: 0.75 USD spent, and another run could exceed the limit of 1 USD\n");
    expect(first.err).toContain("2 runs left; add --resume to continue\n");
    const more = ["--runs", "3", "--into", "cand", "--resume", "--json"];
    expect(documentOf(await record([...more, "--max-cost-usd", "1.6"]))).toMatchObject({ left: 1, exitCode: 2 });
    const last = documentOf(await record(more));
    expect(last).toMatchObject({ left: 0, exitCode: 0, costUsd: 2.25, runs: 3 });
    expect(Object.keys(contentsOf(at("cand")))).toHaveLength(9);
  });

  it("stops after the first run whose cost is unknown, where there is a limit", async () => {
    const { record } = project();
    const { code, err } = await record(["--runs", "2", "--into", "cand", "--max-cost-usd", "1"], ["--unpriced"]);
    expect([code, err]).toEqual([2, expect.stringContaining("the cost of 3 recorded turns is unknown")]);
  });

  it("divides the runs between the shards, or the tests where the command takes {shard}", async () => {
    const { record, at } = project();
    await record(["--runs", "3", "--shard", "2/2", "--into", "runs"]);
    expect(Object.keys(contentsOf(at("runs")))).toEqual(NAMES.map((name) => `${name}.2.cassette.json`));
    await record(["--runs", "2", "--shard", "2/2", "--into", "tests"], ["--shard={shard}"]);
    expect(Object.keys(contentsOf(at("tests")))).toEqual(["hotels.1.cassette.json", "hotels.2.cassette.json"]);
  });

  it("exits 2 where a run used no cassette, and says how", async () => {
    const { cwd } = project();
    const ran = await cli(["record", "--runs", "2", "--into", "cand", "--", process.execPath, "-e", "0"], { cwd, env });
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("succeeded but recorded no cassette")]);
  });

  it("refuses a folder of other files, another plan, and a second start without --resume", async () => {
    const { record, at } = project();
    mkdirSync(at("other"));
    writeFileSync(at("other/x.cassette.json"), "{}");
    const other = await record(["--runs", "1", "--into", "other"]);
    expect([other.code, other.err]).toEqual([2, expect.stringContaining("other contains other files")]);
    await record(["--runs", "1", "--into", "cand"]);
    const again = await record(["--runs", "1", "--into", "cand"]);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("Add --resume to continue it")]);
    const plan = await record(["--runs", "2", "--into", "cand", "--resume"]);
    expect([plan.code, plan.err]).toEqual([2, expect.stringContaining("belongs to 1 run of")]);
    writeFileSync(at("cand/shard.json"), "{}");
    expect((await record(["--runs", "1", "--into", "cand", "--resume"])).err).toContain(
      "is not the file of a recording",
    );
  });

  it.each([
    [["--into", "x"], "need --runs"],
    [["--runs", "2"], "--runs needs --into"],
    [["--runs", "2", "--into", "x", "--refresh"], "--runs has no --proxy, --agent, --refresh or --from-first-miss"],
    [["--runs", "2", "--into", "x", "--shard", "3/2"], "Give the part and the number of parts, such as 1/3"],
    [["--runs", "2", "--into", "x", "--shard", "3/3"], "shard 3/3 of 2 runs has no run"],
  ])("refuses %j", async (options, message) => {
    const { record, at } = project();
    const { code, err } = await record(options);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(at("x"))).toBe(false);
  });

  it("is whole when it was killed before any operation on a file, and resumed", async () => {
    const { cwd, record, at } = project();
    await record(["--runs", "1", "--into", "whole"], ["--shard=1/3"]);
    const whole = contentsOf(at("whole"));
    const killer = writeKiller(cwd);
    const [program = "", script = ""] = writeSuite(cwd);
    let killed = 0;
    for (let operation = 1; ; operation++) {
      const into = `killed-${operation}`;
      const argv = [cliModule, "record", "--runs", "1", "--into", into, "--", program, script, "--shard=1/3"];
      const first = spawnSync(program, ["--import", killer, ...argv], {
        ...{ cwd, encoding: "utf8" },
        env: { ...env, KILL_BEFORE: String(operation) },
      });
      if (first.signal === null) {
        expect(first.status).toBe(0);
        break;
      }
      killed++;
      expect((await record(["--runs", "1", "--into", into, "--resume"], ["--shard=1/3"])).code).toBe(0);
      expect(contentsOf(at(into))).toEqual(whole);
      expect(readdirSync(at(into)).filter((name) => name.startsWith(".run-"))).toEqual([]);
      rmSync(at(into), { recursive: true });
    }
    expect(killed).toBeGreaterThan(8);
  }, 180_000);
});

const cliModule = compiledModule("cli/bin.js");

/** A module that kills its process with SIGKILL before the operation on a file that KILL_BEFORE names. */
function writeKiller(cwd: string): string {
  const path = join(cwd, "killer.mjs");
  writeFileSync(
    path,
    `import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
let left = Number(process.env.KILL_BEFORE);
for (const name of ["mkdir", "open", "rename", "rm", "unlink", "link", "readdir", "lstat"]) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (--left === 0) process.kill(process.pid, "SIGKILL");
    return real(...args);
  };
}
syncBuiltinESMExports();
`,
  );
  return pathToFileURL(path).href;
}
