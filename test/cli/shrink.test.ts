import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
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

  it("keeps a broken rule in place of a drift, and the command it prints breaks it", async () => {
    const rules = [
      { id: "no-lima", never: { tool: "weather", arguments: { properties: { city: { const: "Lima" } } } } },
    ];
    writeFileSync(join(cwd, "rules.json"), JSON.stringify({ rulesVersion: 1, rules }));
    const argv = ["shrink", base, candidate, "--rules", "rules.json"];
    const ran = await run(...argv, "--out", "small");
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toContain("  rule no-lima broken at turn 2: ");
    expect(ran.out).toContain("shown by the first 3 turn pairs of 4, and 1 of 2 turns that differ");
    const command = /see it: {2}cassette (.*)\n/.exec(ran.out)?.[1] ?? "";
    expect(command).toBe("drift small/base.cassette.json small/candidate.cassette.json --rules rules.json");
    expect((await run(...command.split(" "))).out).toContain("the candidate breaks a rule that the baseline keeps");
    expect(documentOf(await run(...argv, "--json"))).toMatchObject({ broken: { rule: "no-lima", turn: 2 } });
    expect(documentOf(await run("shrink", base, base, "--rules", "rules.json", "--json")).error?.code).toBe(
      "nothing-to-compare",
    );
    expect((await run(...argv, "--kind", "moved")).code).toBe(2);
  });

  it("takes the tolerances of the working folder, says so, and repeats the flag", async () => {
    const tools = { weather: { "/city": { oneOf: ["Rome", "Bergen"] } } };
    writeFileSync(join(cwd, "cassette.tolerances.json"), JSON.stringify({ version: 1, tools }));
    const ran = await run("shrink", base, candidate);
    expect(ran.out).toContain('/city was "Paris" and is "Lima"');
    expect(ran.out).toContain("tolerances of cassette.tolerances.json: ");
    expect(ran.out).toMatch(/see it: .* --tolerances cassette.tolerances.json\n/);
    expect(documentOf(await run("shrink", base, candidate, "--json"))).toMatchObject({
      tolerancesFile: "cassette.tolerances.json",
      drifts: [{ newTurn: 2 }],
    });
    const strict = await run("shrink", base, candidate, "--no-tolerances");
    expect(strict.out).toContain('"Bergen"');
    expect(strict.out).toMatch(/see it: .* --no-tolerances\n/);
  });

  it("leaves files alone that are there", async () => {
    await run("shrink", base, candidate, "--out", "small");
    expect((await run("shrink", base, candidate, "--out", "small")).code).toBe(2);
    expect((await run("shrink", base, candidate, "--out", "small", "--force")).code).toBe(0);
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
    ["an invalid kind", ["--kind", "change"], "usage"],
    ["an invalid order", ["--order", "any"], "usage"],
    ["a drift that is not there", ["--kind", "moved"], "nothing-to-compare"],
  ])("exits 2 for %s", async (_what, argv, code) => {
    const ran = await run("shrink", base, candidate, ...argv, "--json");
    expect(ran.code).toBe(2);
    expect(documentOf(ran).error?.code).toBe(code);
  });
});
