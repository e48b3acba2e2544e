import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { assertBuilt } from "../../support/built.js";
import { cli, documentOf, folder } from "../run.js";
import { contentsOf, writeSuite } from "./suite.js";

const env = { PATH: process.env["PATH"] ?? "" };
let made = 0;

beforeAll(assertBuilt);

/** A new project with its suite recorded in shards. */
async function shards({ of, runs = 2, words = [] }: { of: number; runs?: number; words?: string[] }) {
  const cwd = join(folder, `project-${made++}`);
  const command = writeSuite(cwd);
  const parts = Array.from({ length: of }, (_, index) => `part-${index + 1}`);
  for (const [index, into] of parts.entries()) {
    const options = ["--runs", String(runs), "--shard", `${index + 1}/${of}`, "--into", into];
    await cli(["record", ...options, "--", ...command, ...words], { cwd, env });
  }
  const merge = (named = parts, ...options: string[]) =>
    cli(["merge", ...named, "--into", "cand", ...options], { cwd });
  return { cwd, parts, merge, at: (path: string) => join(cwd, path), contents: () => contentsOf(join(cwd, "cand")) };
}

async function unsharded(runs: number): Promise<Record<string, string>> {
  const cwd = join(folder, `project-${made++}`);
  const command = writeSuite(cwd);
  await cli(["record", "--runs", String(runs), "--into", "cand", "--", ...command], { cwd, env });
  return contentsOf(join(cwd, "cand"));
}

describe("cassette merge", () => {
  it.each([1, 2, 3, 7])("makes of %i shards what one machine records", async (of) => {
    const whole = await unsharded(of === 7 ? 7 : 3);
    const { merge, contents } = await shards({ of, runs: of === 7 ? 7 : 3 });
    const { code, out } = await merge();
    expect([code, out]).toEqual([0, expect.stringContaining(`of ${of} part`)]);
    expect(contents()).toEqual(whole);
    expect((await merge()).code).toBe(0);
  });

  it("makes of shards of tests what one machine records", async () => {
    const { merge, contents } = await shards({ of: 3, words: ["--shard={shard}"] });
    expect((await merge()).code).toBe(0);
    expect(contents()).toEqual(await unsharded(2));
  });

  it("exits 2 and names what is missing: a part, or a run of one", async () => {
    const { merge, contents, at } = await shards({ of: 2, runs: 3 });
    const part = await merge(["part-2"]);
    expect([part.code, part.err]).toEqual([2, expect.stringContaining("shard 1/2 is missing")]);
    dropLastUnit(at("part-1/shard.json"));
    expect((await merge()).err).toContain("run 3 of shard 1/2 is missing");
    expect(existsSync(at("cand"))).toBe(false);
    const allowed = await merge(undefined, "--allow-missing");
    expect([allowed.code, allowed.out]).toEqual([0, expect.stringContaining("missing  run 3 of shard 1/2\n")]);
    expect(Object.keys(contents())).toHaveLength(6);
  });

  it("exits 3 and writes nothing where a recording was changed, removed or is a link", async () => {
    const { merge, at } = await shards({ of: 2 });
    appendFileSync(at("part-1/flights.1.cassette.json"), " ");
    rmSync(at("part-2/hotels.2.cassette.json"));
    renameSync(at("part-1/nested"), at("elsewhere"));
    symlinkSync(at("elsewhere"), at("part-1/nested"));
    const { code, out } = await merge();
    expect(code).toBe(3);
    expect(out).toContain("refused  part-1/flights.1.cassette.json was changed after it was recorded\n");
    expect(out).toContain("refused  part-2/hotels.2.cassette.json is missing");
    expect(out).toContain("refused  part-1/nested/weather.1.cassette.json nested is a symbolic link");
    expect(documentOf(await merge(undefined, "--json"))).toMatchObject({ exitCode: 3, recordings: 3 });
    expect(existsSync(at("cand"))).toBe(false);
  });

  it("exits 1 and names the runs that failed", async () => {
    const { merge } = await shards({ of: 2, words: ["--fail=hotels"] });
    const { code, out } = await merge();
    expect([code, out]).toEqual([1, expect.stringContaining("failed   run 1 of shard 1/2 (exit code 1)\n")]);
  });

  it("refuses a place that has other contents, and completes one that has some of the files", async () => {
    const { merge, contents, at } = await shards({ of: 2 });
    await merge();
    const whole = contents();
    rmSync(at("cand/flights.1.cassette.json"));
    expect([(await merge()).code, contents()]).toEqual([0, whole]);
    writeFileSync(at("cand/flights.1.cassette.json"), "{}");
    const { code, out } = await merge();
    expect([code, out]).toEqual([
      3,
      expect.stringContaining("cand/flights.1.cassette.json exists with other contents"),
    ]);
  });

  it("refuses the same shard twice, parts of two recordings, a folder without shard.json, and paths that leave the part", async () => {
    const { merge, at } = await shards({ of: 2 });
    expect((await merge(["part-1", "part-1"])).err).toContain("part-1 is shard 1, and so is part-1");
    mkdirSync(at("empty"));
    expect((await merge(["part-1", "empty"])).err).toContain("empty has no shard.json");
    const text = readFileSync(at("part-2/shard.json"), "utf8");
    writeFileSync(at("part-2/shard.json"), text.replace('"runs": 2', '"runs": 3'));
    expect((await merge()).err).toContain("part-2 belongs to another recording than part-1");
    for (const path of ["../hotels.2.cassette.json", "/etc/x.cassette.json", "a\\\\x.cassette.json", "notes.txt"]) {
      writeFileSync(at("part-2/shard.json"), text.replace("hotels.2.cassette.json", path));
      expect((await merge()).err).toContain("is not the file of a recording in several runs");
    }
    expect((await cli(["merge", "part-1", "--into", "part-1"], { cwd: at("") })).err).toContain("part-1 is a part");
  });
});

function dropLastUnit(path: string): void {
  const part = JSON.parse(readFileSync(path, "utf8")) as { units: unknown[] };
  part.units.pop();
  writeFileSync(path, JSON.stringify(part));
}
