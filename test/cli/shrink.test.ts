import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { recordTurns } from "../support/recording.js";
import { ask, say } from "../support/script.js";
import { cli, documentOf, folder, place } from "./run.js";

const cwd = join(folder, "shrink");
const prompt = (content: string) => ({ messages: [{ role: "user" as const, content }] });
const record = (...cities: string[]) =>
  recordTurns(
    [...cities.map(prompt), prompt("end")],
    [...cities.map((city) => ask([{ id: "c", name: "weather", arguments: { city } }])), say("done")],
  );
const base = place("shrink-base.cassette.json", await record("Oslo", "Rome", "Paris"));
const candidate = place("shrink-new.cassette.json", await record("Oslo", "Bergen", "Lima"));
const run = (...argv: string[]) => cli(argv, { cwd });

beforeEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(cwd);
});

describe("cassette shrink", () => {
  it("writes the two small cassettes, and the command it prints shows the drift", async () => {
    const ran = await run("shrink", base, candidate, "--out", "small");
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toContain("shown by the first 2 turn pairs of 4, and 1 of 2 turns that differ");
    const command = /see it: {2}cassette (.*)\n/.exec(ran.out)?.[1] ?? "";
    expect(command).toBe("diff small/base.cassette.json small/candidate.cassette.json");
    expect((await run(...command.split(" "))).code).toBe(1);
    expect((await run("verify", "small")).code).toBe(0);
  });

  it("leaves files alone that are there", async () => {
    await run("shrink", base, candidate, "--out", "small");
    expect((await run("shrink", base, candidate, "--out", "small")).code).toBe(2);
    rmSync(join(cwd, "small/base.cassette.json"));
    expect((await run("shrink", base, candidate, "--out", "small")).code).toBe(2);
    expect(existsSync(join(cwd, "small/base.cassette.json"))).toBe(false);
  });

  it("says the same as one document", async () => {
    const ran = await run("shrink", base, candidate, "--json", "--ignore", "/city", "--content");
    expect(documentOf(ran).error?.code).toBe("nothing-to-compare");
    expect(documentOf(await run("shrink", base, candidate, "--json"))).toMatchObject({
      rows: { kept: 2, of: 4 },
      drifts: [{ kind: "args-changed" }],
    });
  });

  it.each([
    ["a kind that is none", ["--kind", "change"], "usage"],
    ["an order that is none", ["--order", "any"], "usage"],
    ["a drift that is not there", ["--kind", "moved"], "nothing-to-compare"],
  ])("exits 2 for %s", async (_what, argv, code) => {
    const ran = await run("shrink", base, candidate, ...argv, "--json");
    expect(ran.code).toBe(2);
    expect(documentOf(ran).error?.code).toBe(code);
  });
});
