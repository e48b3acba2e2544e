import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, hostname } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { assertBuilt, compiledModule } from "../../support/built.js";
import { cli, documentOf, folder } from "../run.js";
import { contentsOf, killAtEach, leftIn, writeSuite } from "./suite.js";

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
    expect(err).toContain("2 runs to record, cost unknown: there is no cassette below this folder to estimate it from");
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
    expect(err).toContain("2 runs to record, about 1.5 USD, estimated from 3 cassettes below this folder\n");
  });

  it("estimates the cost by another part, or by merged ones, where the suite has no cassette", async () => {
    const { cwd, record, at } = project();
    await record(["--runs", "2", "--into", "base"]);
    const { err } = await record(["--runs", "2", "--into", "cand"]);
    expect(err).toContain("2 runs to record, about 1.5 USD, estimated from 6 cassettes below this folder\n");
    await cli(["merge", "base", "--into", "merged"], { cwd });
    for (const part of ["base", "cand"]) rmSync(at(part), { recursive: true });
    const merged = await record(["--runs", "1", "--into", "cand"]);
    expect(merged.err).toContain("1 run to record, about 0.75 USD, estimated from 6 cassettes below this folder\n");
  });

  it("estimates only the share of this shard where the command takes {shard}", async () => {
    const { record } = project();
    await record([]);
    const sharded = (shard: string, into: string) =>
      record(["--runs", "2", "--shard", shard, "--into", into], ["--shard={shard}"]);
    const { err } = await sharded("1/2", "one");
    expect(err).toContain(
      "about 0.75 USD, estimated from 3 cassettes below this folder, if each of the 2 shards takes an equal part\n",
    );
  });

  it("estimates a shard by the recorded runs of another one", async () => {
    const { record } = project();
    const sharded = (shard: string, into: string) =>
      record(["--runs", "2", "--shard", shard, "--into", into], ["--shard={shard}"]);
    await sharded("1/3", "one");
    expect((await sharded("2/3", "two")).err).toContain("about 0.5 USD, estimated from 2 cassettes");
    await record(["--runs", "1", "--into", "whole"]).then(({ err }) => {
      expect(err).toContain("1 run to record, about 0.75 USD, estimated from 2 cassettes");
    });
  });

  it("lets one process at a time record into a folder, and takes over after one that was killed", async () => {
    const { record, at } = project();
    mkdirSync(at("cand"));
    const claim = (pid: number, host = hostname()) =>
      writeFileSync(at("cand/record.claim"), JSON.stringify({ pid, host, since: "2026-01-01T00:00:00.000Z" }));
    claim(process.pid);
    const second = await record(["--runs", "1", "--into", "cand", "--json"]);
    expect([second.code, documentOf(second).error]).toEqual([
      2,
      expect.objectContaining({
        code: "record-running",
        message: expect.stringContaining("another cassette record writes into cand (process") as string,
      }),
    ]);
    expect(readdirSync(at("cand"))).toEqual(["record.claim"]);
    // Process ids are smaller than this on every system.
    claim(2 ** 31 - 1);
    expect((await record(["--runs", "1", "--into", "cand"])).code).toBe(0);
    expect(existsSync(at("cand/record.claim"))).toBe(false);
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

  it("says that nothing bounds the first run where there is no estimate, and stops after it at an unknown cost", async () => {
    const { record, at } = project();
    const limited = ["--runs", "2", "--into", "cand", "--max-cost-usd", "1"];
    const { code, err } = await record(limited, ["--unpriced"]);
    expect(err).toContain("run 1 has no estimate, so the limit of 1 USD applies only after it\n");
    expect([code, err]).toEqual([2, expect.stringContaining("the cost of 3 recorded turns is unknown")]);
    const other = await record(["--runs", "2", "--into", "none", "--max-cost-usd", "1"], ["--unpriced"]);
    expect(other.err).toContain("2 runs to record, cost unknown, estimated from 3 cassettes below this folder\n");
    expect([other.code, existsSync(at("none"))]).toEqual([2, false]);
  });

  it("counts by the prices of a file", async () => {
    const { record, at } = project();
    writeFileSync(at("prices.json"), JSON.stringify({ "house-model": { input: 1, output: 1 } }));
    const priced = ["--runs", "2", "--into", "cand", "--prices", "prices.json"];
    const { code, err } = await record([...priced, "--max-cost-usd", "0.5"], ["--unpriced"]);
    expect(code).toBe(2);
    expect(err).toContain("run 1: 3 recordings, 0.3 USD; 1 run left");
    expect(err).toContain("0.3 USD spent, and another run could exceed the limit of 0.5 USD\n");
    const more = await record([...priced, "--resume", "--max-cost-usd", "0.7"], ["--unpriced"]);
    expect([more.code, more.err]).toEqual([0, expect.stringContaining("1 run to record, about 0.3 USD")]);
    const wrong = await record(["--runs", "1", "--into", "other", "--prices", "missing.json"]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("missing.json")]);
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
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("Add --resume to continue that recording")]);
    const plan = await record(["--runs", "2", "--into", "cand", "--resume"]);
    expect([plan.code, plan.err]).toEqual([2, expect.stringContaining("belongs to 1 run of")]);
    writeFileSync(at("cand/shard.json"), "{}");
    expect((await record(["--runs", "1", "--into", "cand", "--resume"])).err).toContain(
      "was not written by cassette record --runs",
    );
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("keeps the finished runs at %s, and resumes", async (signal) => {
    const { cwd, shardFile, at } = project();
    const [program = "", script = ""] = writeSuite(cwd);
    const argv = ["record", "--runs", "2", "--into", "cand", "--", program, script, "--wait=2"];
    const child = spawn(program, [compiledModule("cli/bin.js"), ...argv], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let err = "";
    child.stderr.on("data", (data) => void (err += String(data)));
    child.stdout.on("data", (data) => void (String(data).includes("waiting") && child.kill(signal)));
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(128 + constants.signals[signal]);
    expect(err).toContain("1 run recorded, 3 recordings in cand\n");
    expect(err).toContain("1 run left; add --resume to continue\n");
    expect([shardFile("cand").units.length, leftIn(at("cand"))]).toEqual([1, []]);
    const resumed = await cli(["record", "--resume", ...argv.slice(1)], { cwd, env: { ...env, GO_ON: "1" } });
    expect([resumed.code, Object.keys(contentsOf(at("cand"))).length]).toEqual([0, 6]);
  });

  it("does not repeat a failed run when it resumes", async () => {
    const { record, shardFile } = project();
    await record(["--runs", "2", "--into", "cand"], ["--fail=hotels"]);
    const { code, err } = await record(["--runs", "2", "--into", "cand", "--resume"], ["--fail=hotels"]);
    expect([code, err]).toEqual([1, expect.stringContaining("failed: 1, 2\n")]);
    expect(shardFile("cand").units).toHaveLength(2);
  });

  it("refuses a bundle in the folder of a run, and leaves nothing of a run that it refuses", async () => {
    const { cwd, at } = project();
    const write = `require("fs").writeFileSync(process.env.CASSETTE_INTO + "/trip.bundle.json", "{}")`;
    const argv = (...command: string[]) => ["record", "--runs", "1", "--into", "cand", "--", ...command];
    const { code, err } = await cli(argv(process.execPath, "-e", write), { cwd, env });
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("run 1 wrote the bundle trip.bundle.json into CASSETTE_INTO"),
    ]);
    expect((await cli(argv("no-such-program"), { cwd, env })).code).toBe(2);
    expect(existsSync(at("cand"))).toBe(false);
  });

  it.each([
    [["--into", "x"], "need --runs"],
    [["--prices", "x.json"], "need --runs"],
    [["--runs", "2"], "--runs needs --into"],
    [
      ["--runs", "2", "--into", "x", "--refresh"],
      "--runs cannot be used with --proxy, --agent, --refresh or --from-first-miss",
    ],
    [["--runs", "2", "--into", "x", "--shard", "3/2"], "Give the part and the number of parts, such as 1/3"],
    [["--runs", "2", "--into", "x", "--shard", "3/3"], "3 shards of 2 runs leave shards without a run"],
    [["--runs", "2", "--into", "x", "--shard", "1/3"], "3 shards of 2 runs leave shards without a run"],
  ])("refuses %j", async (options, message) => {
    const { record, at } = project();
    const { code, err } = await record(options);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(at("x"))).toBe(false);
  });

  it("is whole when it was killed before any change of a file, and resumed", async () => {
    const { cwd, record, at } = project();
    await record([], ["--shard=1/3"]);
    // A command that starts fast, because it runs some hundred times.
    const copy = `require("fs").cpSync("flights.cassette.json", process.env.CASSETTE_INTO + "/a/flights.cassette.json")`;
    const argv = (into: string) => ["record", "--runs", "2", "--into", into, "--", process.execPath, "-e", copy];
    await cli(argv("whole"), { cwd, env });
    const whole = contentsOf(at("whole"));
    const killed = await killAtEach(
      cwd,
      (operation) => argv(`killed-${operation}`),
      async (operation) => {
        const [verb = "", ...rest] = argv(`killed-${operation}`);
        expect((await cli([verb, "--resume", ...rest], { cwd, env })).code).toBe(0);
        expect(contentsOf(at(`killed-${operation}`))).toEqual(whole);
        expect(leftIn(at(`killed-${operation}`))).toEqual([]);
        // The estimate of the next one would read it.
        rmSync(at(`killed-${operation}`), { recursive: true });
      },
    );
    expect(Object.keys(whole)).toHaveLength(2);
    expect(killed).toBeGreaterThan(20);
  }, 300_000);
});
