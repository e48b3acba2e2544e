import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { withOutcome } from "../../../src/cassette/file/build.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { assertBuilt } from "../../support/built.js";
import { cli, documentOf, folder } from "../run.js";
import { contentsOf, killAtEach, writeSuite } from "./suite.js";

const env = { PATH: process.env["PATH"] ?? "" };
let made = 0;

beforeAll(assertBuilt);

interface Plan {
  of: number;
  runs?: number;
  words?: string[];
}

const recorded = new Map<string, string>();

/** A project with its suite recorded in shards, made once for each plan. */
async function recordShards({ of, runs = 2, words = [] }: Plan): Promise<string> {
  const plan = JSON.stringify([of, runs, words]);
  const known = recorded.get(plan);
  if (known !== undefined) return known;
  const cwd = join(folder, `project-${made++}`);
  const command = writeSuite(cwd);
  for (let shard = 1; shard <= of; shard++) {
    const options = ["--runs", String(runs), "--shard", `${shard}/${of}`, "--into", `part-${shard}`];
    await cli(["record", ...options, "--", ...command, ...words], { cwd, env });
  }
  recorded.set(plan, cwd);
  return cwd;
}

/** A copy of it. */
async function shards(plan: Plan) {
  const cwd = join(folder, `project-${made++}`);
  cpSync(await recordShards(plan), cwd, { recursive: true });
  const parts = Array.from({ length: plan.of }, (_, index) => `part-${index + 1}`);
  const merge = (named = parts, ...options: string[]) =>
    cli(["merge", ...named, "--into", "cand", ...options], { cwd });
  return { cwd, parts, merge, at: (path: string) => join(cwd, path), contents: () => contentsOf(join(cwd, "cand")) };
}

const wholes = new Map<number, Record<string, string>>();

/** What one machine records, recorded once for each number of runs. */
async function unsharded(runs: number): Promise<Record<string, string>> {
  const known = wholes.get(runs);
  if (known !== undefined) return known;
  const cwd = join(folder, `project-${made++}`);
  const command = writeSuite(cwd);
  await cli(["record", "--runs", String(runs), "--into", "cand", "--", ...command], { cwd, env });
  const whole = contentsOf(join(cwd, "cand"));
  wholes.set(runs, whole);
  return whole;
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

  it.each([2, 3, 7])("makes of %i shards of tests what one machine records, though some have no test", async (of) => {
    const runs = of === 7 ? 1 : 2;
    const { merge, contents } = await shards({ of, runs, words: ["--shard={shard}"] });
    expect((await merge()).code).toBe(0);
    expect(contents()).toEqual(await unsharded(runs));
  });

  it("refuses parts without any recording", async () => {
    const { cwd, merge, at } = await shards({ of: 1 });
    const command = [process.execPath, "-e", "0", "{shard}"];
    for (const shard of [1, 2]) {
      const options = ["--runs", "1", "--shard", `${shard}/2`, "--into", `none-${shard}`];
      expect((await cli(["record", ...options, "--", ...command], { cwd, env })).code).toBe(0);
    }
    const { code, err } = await merge(["none-1", "none-2"]);
    expect([code, err]).toEqual([2, expect.stringContaining("none-1, none-2 contain no recordings")]);
    expect(existsSync(at("cand"))).toBe(false);
  });

  it.each(["file", "file/cand"])("refuses %s as the destination before it looks at a part or a store", async (into) => {
    const cwd = join(folder, `project-${made++}`);
    mkdirSync(cwd);
    writeFileSync(join(cwd, "file"), "kept");
    const what = into === "file" ? "is a file" : "is below a file";
    for (const from of [["part-1"], ["--job", "nightly", "--store", "jobs.db"]]) {
      const { code, err } = await cli(["merge", ...from, "--into", into], { cwd });
      expect([code, err]).toEqual([2, expect.stringContaining(`--into ${into} ${what}`)]);
    }
    expect(readFileSync(join(cwd, "file"), "utf8")).toBe("kept");
  });

  it("refuses links in the destination, and a shard.json that is a link", async () => {
    const { merge, at } = await shards({ of: 2 });
    mkdirSync(at("outside"));
    mkdirSync(at("cand"));
    symlinkSync(at("outside"), at("cand/nested"));
    symlinkSync(at("outside/hotels.json"), at("cand/hotels.2.cassette.json"));
    const { code, out } = await merge();
    expect(code).toBe(3);
    expect(out).toContain(
      "refused  cand/nested/weather.1.cassette.json cannot be written: nested is a symbolic link, and links are not followed\n",
    );
    expect(out).toContain(
      "refused  cand/hotels.2.cassette.json cannot be written: hotels.2.cassette.json is a symbolic link",
    );
    expect([readdirSync(at("outside")), readdirSync(at("cand"))]).toEqual([[], ["hotels.2.cassette.json", "nested"]]);
    renameSync(at("part-1/shard.json"), at("outside/shard.json"));
    symlinkSync(at("outside/shard.json"), at("part-1/shard.json"));
    expect((await merge()).err).toContain("part-1 cannot be merged: shard.json is a symbolic link");
  });

  it("refuses a cassette that was edited and has new hashes, and files that shard.json does not list", async () => {
    const { merge, at } = await shards({ of: 2 });
    const path = at("part-1/flights.1.cassette.json");
    const cassette = JSON.parse(readFileSync(path, "utf8")) as CassetteV2;
    writeFileSync(path, formatCassette(withOutcome(cassette, { success: true })));
    writeFileSync(at("part-2/hotels.9.cassette.json"), readFileSync(at("part-2/hotels.2.cassette.json")));
    writeFileSync(at("part-2/trip.bundle.json"), "{}");
    const { code, out } = await merge();
    expect(code).toBe(3);
    expect(out).toContain("refused  part-1/flights.1.cassette.json was changed after it was recorded\n");
    expect(out).toContain("refused  part-2/hotels.9.cassette.json is not listed in shard.json\n");
    expect(out).toContain("refused  part-2/trip.bundle.json is not listed in shard.json\n");
    expect(existsSync(at("cand"))).toBe(false);
  });

  it("joins the locks of all parts, and refuses a lock of some parts or of other files", async () => {
    const { cwd, merge, at } = await shards({ of: 2 });
    const lock = (part: string) => cli(["lock", part, "--file", `${part}/cassettes.lock`], { cwd });
    expect((await lock("part-1")).code).toBe(0);
    expect((await merge()).err).toContain("part-2 has no cassettes.lock, but another part has one");
    await lock("part-2");
    expect([(await merge()).code, (await merge()).code]).toEqual([0, 0]);
    const verified = await cli(["verify", "cand", "--lock", "cand/cassettes.lock"], { cwd });
    expect(verified).toMatchObject({ code: 0, out: expect.stringContaining("6 ok, 0 refused") });
    const text = readFileSync(at("part-2/cassettes.lock"), "utf8");
    writeFileSync(at("part-2/cassettes.lock"), text.replace("hotels.2", "hotels.3"));
    const { code, out } = await merge();
    expect(code).toBe(3);
    expect(out).toContain("part-2/cassettes.lock lists hotels.3.cassette.json, but shard.json does not\n");
    expect(out).toContain("cand/cassettes.lock already exists with different contents and is not replaced\n");
  });

  it("is whole when it was killed before any change of a file, and run again", async () => {
    const { cwd, parts, merge, at, contents } = await shards({ of: 2, runs: 3, words: ["--shard=1/3"] });
    for (const part of parts) await cli(["lock", part, "--file", `${part}/cassettes.lock`], { cwd });
    await merge();
    const [whole, lock] = [contents(), readFileSync(at("cand/cassettes.lock"), "utf8")];
    const killed = await killAtEach(
      cwd,
      (operation) => ["merge", ...parts, "--into", `killed-${operation}`],
      async (operation) => {
        const into = `killed-${operation}`;
        const names = existsSync(at(into)) ? readdirSync(at(into), { recursive: true, encoding: "utf8" }) : [];
        for (const name of names.filter((one) => one.endsWith(".cassette.json"))) {
          expect(readFileSync(at(`${into}/${name}`))).toEqual(readFileSync(at(`cand/${name}`)));
        }
        expect((await cli(["merge", ...parts, "--into", into], { cwd })).code).toBe(0);
        expect(contentsOf(at(into))).toEqual(whole);
        expect(readFileSync(at(`${into}/cassettes.lock`), "utf8")).toBe(lock);
      },
    );
    // Each recording, and the lock, is created, written and renamed.
    expect(killed).toBeGreaterThan(3 * (Object.keys(whole).length + 1));
  }, 300_000);

  it("exits 2 and names what is missing: a part, or a run of one", async () => {
    const { merge, contents, at } = await shards({ of: 2, runs: 3 });
    const part = await merge(["part-2"]);
    expect([part.code, part.err]).toEqual([2, expect.stringContaining("shard 1/2 is missing")]);
    dropLastUnit(at("part-1"));
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
    expect(out).toContain("refused  part-1/nested/weather.1.cassette.json cannot be used: nested is a symbolic link");
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
      expect.stringContaining("cand/flights.1.cassette.json already exists with different contents"),
    ]);
  });

  it("refuses the same shard twice, parts of two recordings, a folder without shard.json, and paths that leave the part", async () => {
    const { merge, at } = await shards({ of: 2 });
    expect((await merge(["part-1", "part-1"])).err).toContain("part-1 is shard 1, like part-1");
    mkdirSync(at("empty"));
    expect((await merge(["part-1", "empty"])).err).toContain("empty has no shard.json");
    const text = readFileSync(at("part-2/shard.json"), "utf8");
    writeFileSync(at("part-2/shard.json"), text.replace('"runs": 2', '"runs": 3'));
    expect((await merge()).err).toContain("part-2 belongs to a different recording than part-1");
    for (const path of ["../hotels.2.cassette.json", "/etc/x.cassette.json", "a\\\\x.cassette.json", "notes.txt"]) {
      writeFileSync(at("part-2/shard.json"), text.replace("hotels.2.cassette.json", path));
      expect((await merge()).err).toContain("was not written by cassette record --runs");
    }
    expect((await cli(["merge", "part-1", "--into", "part-1"], { cwd: at("") })).err).toContain(
      "part-1 is one of the parts",
    );
  });
});

/** As if the part had been killed in its last run. */
function dropLastUnit(folder: string): void {
  const path = join(folder, "shard.json");
  const part = JSON.parse(readFileSync(path, "utf8")) as { units: { files: { path: string }[] }[] };
  for (const file of part.units.pop()?.files ?? []) rmSync(join(folder, file.path));
  writeFileSync(path, JSON.stringify(part));
}
