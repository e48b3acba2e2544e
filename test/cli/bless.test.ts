import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { buildCassette } from "../../src/cassette/file/build.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import type { JsonObject } from "../../src/core/index.js";
import { fixedPorts, weatherCassette } from "../support/recording.js";
import { cli, documentOf, folder } from "./run.js";

const one = await weatherCassette();
const other = await weatherCassette({ ports: fixedPorts(9) });
const cwd = join(folder, "bless");
const at = (name: string) => join(cwd, name);
const put = (name: string, cassette: CassetteV2 | string) =>
  writeFileSync(at(name), typeof cassette === "string" ? cassette : formatCassette(cassette));
const run = (...argv: string[]) => cli(argv, { cwd });
const reason = ["--reason", "asks for Celsius now"];
const lines = () => readFileSync(at("base/accepted.jsonl"), "utf8").trimEnd().split("\n");

/** A recording that says how its run went. */
function withOutcome(success: boolean | null, more: JsonObject = {}): CassetteV2 {
  const { entries, extensions, ...head } = other;
  return buildCassette({ ...head, extensions: { ...extensions, outcome: { success, ...more } } }, entries);
}

beforeEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(at("base"), { recursive: true });
  mkdirSync(at("new"));
  put("base/weather.0.cassette.json", one);
  put("new/weather.0.cassette.json", other);
});

describe("cassette bless", () => {
  it("adds a variant under the next number, with its reason, and replaces nothing", async () => {
    const ran = await run("bless", "new", "--into", "base", ...reason);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toContain("1 run accepted into base");
    expect(readFileSync(at("base/weather.0.cassette.json"), "utf8")).toBe(formatCassette(one));
    expect(readFileSync(at("base/weather.1.cassette.json"), "utf8")).toBe(formatCassette(other));
    expect(lines().map((line) => JSON.parse(line) as object)).toMatchObject([
      { path: "weather.1.cassette.json", envelopeHash: other.envelopeHash, reason: "asks for Celsius now" },
    ]);
  });

  it("knows what it accepted before", async () => {
    await run("bless", "new", "--into", "base", ...reason);
    const ran = await run("bless", "new", "--into", "base", ...reason);
    expect(ran.out).toContain("known");
    expect(readdirSync(at("base"))).toHaveLength(3);
    expect(lines()).toHaveLength(1);
  });

  it("begins a baseline if there is none", async () => {
    expect((await run("bless", "new/weather.0.cassette.json", "--into", "fresh", ...reason)).code).toBe(0);
    expect(existsSync(at("fresh/weather.0.cassette.json"))).toBe(true);
  });

  it("takes its place in the lock, and leaves the rest of it alone", async () => {
    await run("lock", "base");
    await run("bless", "new", "--into", "base", ...reason);
    expect((await run("verify", "base", "--lock")).code).toBe(0);
    expect((await run("lock", "--check")).code).toBe(0);
  });

  it("signs the cassette and the line where a key is there", async () => {
    const trust = (await run("keygen", "--out", "key")).out;
    put("trust.json", trust);
    await run("bless", "new", "--into", "base", ...reason, "--key", "key.pem");
    const verified = await run(
      "verify",
      "base/weather.1.cassette.json",
      "--trust",
      "trust.json",
      "--require-signature",
    );
    expect(verified.code).toBe(0);
    expect((await run("accepted", "base", "--trust", "trust.json")).code).toBe(0);
    put("new/sunny.cassette.json", one);
    const env = { CASSETTE_SIGNING_KEY: readFileSync(at("key.pem"), "utf8") };
    await cli(["bless", "new/sunny.cassette.json", "--into", "base", ...reason], { cwd, env });
    expect((await run("accepted", "base", "--trust", "trust.json")).out).toContain("2 acceptances, 0 that do not hold");
  });

  it("accepts nothing where CI is set", async () => {
    const ran = await cli(["bless", "new", "--into", "base", ...reason, "--json"], { cwd, env: { CI: "true" } });
    expect(ran.code).toBe(2);
    expect(documentOf(ran).error?.code).toBe("bless-in-ci");
    expect(readdirSync(at("base"))).toEqual(["weather.0.cassette.json"]);
  });

  it("accepts no failing run, and then none of the others either", async () => {
    put("new/storm.cassette.json", withOutcome(false));
    const ran = await run("bless", "new", "--into", "base", ...reason);
    expect(ran.code).toBe(2);
    expect(ran.out).toContain("run-failed");
    expect(ran.out).toContain("nothing was accepted");
    expect(readdirSync(at("base"))).toEqual(["weather.0.cassette.json"]);
    put("new/storm.cassette.json", withOutcome(true));
    expect((await run("bless", "new", "--into", "base", ...reason)).code).toBe(0);
  });

  it("accepts a run that broke off only where it is told to", async () => {
    put("new/storm.cassette.json", withOutcome(null, { error: "crashed" }));
    const ran = await run("bless", "new", "--into", "base", ...reason);
    expect(ran.code).toBe(2);
    expect(ran.out).toContain("run-failed");
    expect(readdirSync(at("base"))).toEqual(["weather.0.cassette.json"]);
    expect((await run("bless", "new", "--into", "base", ...reason, "--allow-error")).code).toBe(0);
  });

  it("looks for success where --success says, as the gate does", async () => {
    put("new/weather.0.cassette.json", withOutcome(true, { grade: 0 }));
    const argv = ["bless", "new", "--into", "base", ...reason, "--success"];
    expect((await run(...argv, "/grade")).out).toContain("the recording says that this run failed");
    expect((await run(...argv, "/grad")).out).toContain('no true, false or number at "/grad"');
    expect((await run(...argv, "grade")).err).toContain("is not a JSON pointer");
    expect(readdirSync(at("base"))).toEqual(["weather.0.cassette.json"]);
    expect((await run(...argv, "/success")).code).toBe(0);
  });

  it("completes what was stopped half-way: a cassette without its reason, a lock entry, a reason without its cassette", async () => {
    await run("lock", "base");
    put("base/weather.1.cassette.json", other);
    const ran = await run("bless", "new", "--into", "base", ...reason);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toContain("completed");
    expect(ran.out).toContain("1 run of it completed: its reason or its place in the lock was missing\n");
    expect(lines()).toHaveLength(1);
    expect((await run("lock", "--check")).code).toBe(0);
    rmSync(at("base/weather.1.cassette.json"));
    expect((await run("bless", "new", "--into", "base", ...reason)).out).toContain("weather.1.cassette.json");
    expect(lines()).toHaveLength(1);
    expect((await run("verify", "base", "--lock")).code).toBe(0);
    expect((await run("bless", "new", "--into", "base", ...reason)).out).toContain("known");
  });

  it("completes a run once that is named twice", async () => {
    put("base/weather.1.cassette.json", other);
    put("new/weather.7.cassette.json", other);
    expect((await run("bless", "new", "--into", "base", ...reason)).code).toBe(0);
    expect(lines()).toHaveLength(1);
  });

  it("gives no number away that a reason was written for", async () => {
    await run("bless", "new", "--into", "base", ...reason);
    rmSync(at("base/weather.1.cassette.json"));
    mkdirSync(at("more"));
    put("more/weather.0.cassette.json", withOutcome(true));
    await run("bless", "more", "--into", "base", ...reason);
    expect(existsSync(at("base/weather.1.cassette.json"))).toBe(false);
    expect(existsSync(at("base/weather.2.cassette.json"))).toBe(true);
  });

  it("lets one bless write at a time, and loses nothing of either", async () => {
    mkdirSync(at("more"));
    put("more/weather.0.cassette.json", withOutcome(true));
    await run("lock", "base");
    const both = await Promise.all([
      run("bless", "new", "--into", "base", ...reason),
      run("bless", "more", "--into", "base", ...reason),
    ]);
    for (const { code, err } of both) {
      if (code === 0) continue;
      expect(err).toContain("another cassette bless writes into base (process");
      expect(err).toContain("Run this again when it is done");
    }
    for (const folderOf of ["new", "more"]) await run("bless", folderOf, "--into", "base", ...reason);
    expect(lines()).toHaveLength(2);
    expect((await run("lock", "--check")).code).toBe(0);
    expect(readdirSync(at("base")).sort()).toEqual([
      "accepted.jsonl",
      "weather.0.cassette.json",
      "weather.1.cassette.json",
      "weather.2.cassette.json",
    ]);
  });

  it("takes over the claim of a process that is gone, and respects any other", async () => {
    const claim = (pid: number, host = hostname()) =>
      writeFileSync(at("base/bless.claim"), JSON.stringify({ pid, host, since: "2026-01-01T00:00:00.000Z" }));
    for (const [pid, host] of [
      [process.pid, hostname()],
      [1, "elsewhere"],
    ] as const) {
      claim(pid, host);
      const ran = await run("bless", "new", "--into", "base", ...reason, "--json");
      expect(documentOf(ran).error?.code).toBe("bless-running");
      expect(existsSync(at("base/weather.1.cassette.json"))).toBe(false);
    }
    writeFileSync(at("base/bless.claim"), "torn");
    expect((await run("bless", "new", "--into", "base", ...reason)).err).toContain("remove base/bless.claim");
    // Process ids are smaller than this on every system.
    claim(2 ** 31 - 1);
    expect((await run("bless", "new", "--into", "base", ...reason)).code).toBe(0);
    expect(existsSync(at("base/bless.claim"))).toBe(false);
  });

  it("accepts nothing that does not verify", async () => {
    put("new/weather.0.cassette.json", formatCassette(other).replace("weather", "whether"));
    expect((await run("bless", "new", "--into", "base", ...reason)).code).toBe(3);
    expect(existsSync(at("base/accepted.jsonl"))).toBe(false);
  });

  it.each([
    ["an empty reason", ["new", "--into", "base", "--reason", " "]],
    ["a reason too long", ["new", "--into", "base", "--reason", "x".repeat(2_001)]],
    ["runs of the baseline itself", ["base", "--into", "base", ...reason]],
    ["a folder without cassettes", ["empty", "--into", "base", ...reason]],
    ["a path that is not there", ["none.cassette.json", "--into", "base", ...reason]],
  ])("refuses %s", async (_what, argv) => {
    mkdirSync(at("empty"));
    expect((await run("bless", ...argv)).code).toBe(2);
    expect(readdirSync(at("base"))).toEqual(["weather.0.cassette.json"]);
  });

  it("refuses runs in a folder of the baseline whose name begins with two dots", async () => {
    mkdirSync(at("base/..old"));
    put("base/..old/weather.0.cassette.json", other);
    const ran = await run("bless", "base/..old", "--into", "base", ...reason);
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("is in the baseline already") as string });
  });
});

describe("cassette accepted", () => {
  it("says what does not hold: a changed cassette, one that is gone, an edited line", async () => {
    await run("keygen", "--out", "key");
    await run("bless", "new", "--into", "base", ...reason, "--key", "key.pem");
    expect((await run("accepted", "base")).code).toBe(0);
    put("base/weather.1.cassette.json", one);
    expect((await run("accepted", "base")).out).toContain("changed");
    rmSync(at("base/weather.1.cassette.json"));
    const gone = await run("accepted", "base");
    expect(gone.code).toBe(3);
    expect(gone.out).toContain("gone");
    put("base/accepted.jsonl", readFileSync(at("base/accepted.jsonl"), "utf8").replace("Celsius", "Kelvin"));
    expect((await run("accepted", "base")).out).toContain("invalid");
  });

  it("warns of a cassette that has no reason though others have one, and so does the gate", async () => {
    await run("bless", "new", "--into", "base", ...reason);
    const text = "1 cassette has no reason in accepted.jsonl: weather.0.cassette.json";
    const said = await run("accepted", "base");
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining(`warning: ${text}\n`) as string });
    expect(documentOf(await run("accepted", "base", "--json"))).toMatchObject({
      unexplained: ["weather.0.cassette.json"],
    });
    expect((await run("drift", "base", "new")).err).toBe(`warning: in base ${text}\n`);
    put("base/accepted.jsonl", "{");
    const torn = await run("drift", "base", "new");
    expect([torn.code, torn.err]).toEqual([0, expect.stringContaining("accepted.jsonl cannot be read")]);
  });

  it("wants a trusted key where it is given a list, and exits 2 where nothing was accepted", async () => {
    put("trust.json", (await run("keygen", "--out", "key")).out);
    expect((await run("accepted", "base")).code).toBe(2);
    await run("bless", "new", "--into", "base", ...reason);
    expect((await run("accepted", "base")).code).toBe(0);
    expect((await run("accepted", "base", "--trust", "trust.json")).code).toBe(3);
  });
});
