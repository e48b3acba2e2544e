import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBundleStore } from "../../src/cassette/bundle/store.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { nodeFiles, pathBeside } from "../../src/host/files.js";
import { trioBundle } from "../support/bundles.js";
import { fixedPorts, prompt, recordTurns, weatherCassette } from "../support/recording.js";
import { say } from "../support/script.js";
import { cli, documentOf, folder } from "./run.js";

const one = formatCassette(await weatherCassette());
const again = formatCassette(await weatherCassette({ ports: fixedPorts(50) }));
const other = formatCassette(await recordTurns([prompt("a")], [say("1")]));

let count = 0;
/** A folder with three cassettes, two of which are the same run, and a ledger that names the first. */
function setUp(used: readonly string[] = ["a"]) {
  const name = `set-${count++}`;
  const path = join(folder, name);
  mkdirSync(path);
  for (const [file, text] of Object.entries({ a: one, b: again, c: other })) {
    writeFileSync(join(path, `${file}.cassette.json`), text);
  }
  writeFileSync(join(path, "ledger.jsonl"), ledgerOf(path, used));
  return { name, has: (file: string) => existsSync(join(path, `${file}.cassette.json`)), path };
}

function ledgerOf(path: string, used: readonly string[]): string {
  const lines = used.map((file) => {
    const at = join(path, `${file}.cassette.json`);
    return JSON.stringify({ file: at, path: at, mode: "replay", turns: 1 });
  });
  return `${lines.join("\n")}\n`;
}

/** The names of the cassettes that are left. */
function cassettesIn(path: string): string[] {
  return readdirSync(path).flatMap((file) => (file.endsWith(".cassette.json") ? [file.split(".")[0] ?? ""] : []));
}

describe("cassette prune", () => {
  it("lists orphans and duplicates, exits 1 and deletes nothing", async () => {
    const { name, has } = setUp();
    const ran = await cli(["prune", name, "--ledger", `${name}/ledger.jsonl`]);
    expect(ran).toEqual({
      code: 1,
      err: "",
      out: [
        `orphan   ${name}/b.cassette.json`,
        `orphan   ${name}/c.cassette.json`,
        `the same ${name}/a.cassette.json, ${name}/b.cassette.json`,
        "3 cassettes checked: 2 orphans, 1 set of duplicates",
        "  --write deletes the orphans",
        "",
      ].join("\n"),
    });
    expect([has("a"), has("b"), has("c")]).toEqual([true, true, true]);
  });

  it("names no duplicates that it just deleted", async () => {
    const { name, path } = setUp();
    for (const file of ["d", "e"]) writeFileSync(join(path, `${file}.cassette.json`), one);
    const ledger = [`${name}/ledger.jsonl`, "--write"];
    writeFileSync(join(folder, ledger[0] ?? ""), ledgerOf(path, ["a", "e"]));
    expect((await cli(["prune", name, "--ledger", ...ledger])).out).toBe(
      [
        ...["b", "c", "d"].map((file) => `deleted  ${name}/${file}.cassette.json`),
        `the same ${name}/a.cassette.json, ${name}/e.cassette.json`,
        "5 cassettes checked: 3 orphans, 1 set of duplicates",
        "  npx playhead lock --update removes them from a lock",
        "",
      ].join("\n"),
    );
    writeFileSync(join(path, "f.cassette.json"), other);
    writeFileSync(join(path, "g.cassette.json"), other);
    writeFileSync(join(folder, ledger[0] ?? ""), ledgerOf(path, ["a", "f"]));
    const ran = await cli(["prune", name, "--ledger", ...ledger]);
    expect(ran.out).not.toContain("the same");
    expect(ran.out).toContain("4 cassettes checked: 2 orphans, 0 sets of duplicates");
  });

  it("deletes the orphans with --write, and nothing else", async () => {
    const { name, has } = setUp();
    const ran = await cli(["prune", name, "--from", name, "--write", "--json"]);
    expect(documentOf(ran)).toMatchObject({
      exitCode: 0,
      deleted: [`${name}/b.cassette.json`, `${name}/c.cassette.json`],
    });
    expect([has("a"), has("b"), has("c")]).toEqual([true, false, false]);
  });

  it("deletes the signatures next to an orphan, and none next to another cassette", async () => {
    const { name, path } = setUp(["a", "b"]);
    const beside = (file: string) => join(path, `${file}.cassette.json.dsse`);
    for (const file of ["a", "c"]) writeFileSync(beside(file), "{}");
    const ran = await cli(["prune", name, "--ledger", `${name}/ledger.jsonl`, "--write"]);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("npx playhead lock --update removes them from a lock");
    expect([existsSync(beside("a")), existsSync(beside("c"))]).toEqual([true, false]);
  });

  it("names five of many duplicates, and all of them as JSON", async () => {
    const { name, path } = setUp();
    for (let n = 1; n <= 5; n++) writeFileSync(join(path, `d${n}.cassette.json`), one);
    const files = ["a", "b", "d1", "d2", "d3", "d4", "d5"].map((file) => `${name}/${file}.cassette.json`);
    const shown = `the same ${files.slice(0, 5).join(", ")} and 2 more (--json lists all)`;
    expect((await cli(["prune", name])).out.split("\n")[0]).toBe(shown);
    expect(documentOf(await cli(["prune", name, "--json"]))).toMatchObject({ duplicates: [files] });
  });

  it("takes a file reached by a link for the same file", async () => {
    const { name, path } = setUp(["a", "b", "c"]);
    symlinkSync(path, `${path}-link`, "dir");
    const ran = await cli(["prune", `${name}-link`, "--ledger", `${name}/ledger.jsonl`, "--write"]);
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining("3 cassettes checked: 0 orphans")]);
  });

  it("never deletes what lies behind a link to another folder", async () => {
    const { name, path, has } = setUp(["a", "b", "c"]);
    const { path: elsewhere, has: hasElsewhere } = setUp();
    symlinkSync(elsewhere, join(path, "link"), "dir");
    const ran = await cli(["prune", name, "--ledger", `${name}/ledger.jsonl`, "--write"]);
    expect(ran.code).toBe(2);
    expect(ran.out).toContain(`kept     ${name}/link/b.cassette.json: it is outside the folder, behind a link`);
    expect([has("a"), hasElsewhere("a"), hasElsewhere("b"), hasElsewhere("c")]).toEqual([true, true, true, true]);
  });

  it("takes away a link to a cassette elsewhere, and not what it leads to", async () => {
    const { name, path } = setUp(["a", "b", "c"]);
    const { path: elsewhere, has: hasElsewhere } = setUp();
    symlinkSync(join(elsewhere, "c.cassette.json"), join(path, "d.cassette.json"));
    const ran = await cli(["prune", name, "--ledger", `${name}/ledger.jsonl`, "--write"]);
    expect([ran.code, existsSync(join(path, "d.cassette.json")), hasElsewhere("c")]).toEqual([0, false, true]);
  });

  it("never takes what cannot be read for an orphan", async () => {
    const { name, path, has } = setUp();
    writeFileSync(join(path, "d.cassette.json"), "torn");
    const ran = await cli(["prune", name, "--ledger", `${name}/ledger.jsonl`, "--write"]);
    expect(ran.out).toContain(`unread   ${name}/d.cassette.json`);
    expect(ran.out).toContain("4 cassettes checked: 2 orphans, 0 sets of duplicates, 1 unread");
    expect([ran.code, has("b"), has("d")]).toEqual([3, false, true]);
  });

  it.each([
    ["empty", ""],
    ["damaged", "{torn\n"],
  ])("refuses an %s ledger, by which every cassette would be an orphan", async (_, text) => {
    const { name, path, has } = setUp();
    writeFileSync(join(path, "ledger.jsonl"), text);
    const ran = await cli(["prune", name, "--ledger", `${name}/ledger.jsonl`, "--write", "--json"]);
    expect(documentOf(ran)).toMatchObject({ exitCode: 2, error: { code: "ledger-unreadable" } });
    expect(has("c")).toBe(true);
  });

  it.each([
    ["of another machine", "/home/ci/repo/cassettes/a.cassette.json"],
    ["in a folder that the run did not write it to", "../elsewhere/a.cassette.json"],
    ["of a cassette that is gone", "gone.cassette.json"],
  ])("refuses a ledger %s, and deletes nothing", async (_, file) => {
    const { name, path } = setUp();
    writeFileSync(join(path, "ledger.jsonl"), `${JSON.stringify({ file, path: file, mode: "replay", turns: 1 })}\n`);
    const ran = await cli(["prune", name, "--ledger", `${name}/ledger.jsonl`, "--write", "--json"]);
    expect(documentOf(ran)).toMatchObject({ exitCode: 2, error: { code: "ledger-unreadable" } });
    expect(cassettesIn(path)).toEqual(["a", "b", "c"]);
  });

  it("refuses a ledger of other folders next to one of these, and says what to name", async () => {
    const [{ name, path }, { name: other }] = [setUp(), setUp()];
    const ledgers = ["--ledger", `${name}/ledger.jsonl`, "--ledger", `${other}/ledger.jsonl`];
    const ran = await cli(["prune", name, ...ledgers, "--write"]);
    expect([ran.code, cassettesIn(path)]).toEqual([2, ["a", "b", "c"]]);
    expect(ran.err).toContain(`${other}/ledger.jsonl names 1 cassette, but not one in these folders`);
    expect((await cli(["prune", name, other, ...ledgers])).out).toContain("6 cassettes checked: 4 orphans");
  });

  it("refuses a folder of which no ledger names a cassette, and deletes nothing in any", async () => {
    const [{ name, path }, { name: other, path: otherPath }] = [setUp(), setUp()];
    const ran = await cli(["prune", name, other, "--ledger", `${name}/ledger.jsonl`, "--write", "--json"]);
    expect(documentOf(ran)).toMatchObject({
      exitCode: 2,
      error: {
        code: "ledger-unreadable",
        message: `no ledger names a cassette in ${other}, so all 3 cassettes there would be orphans`,
      },
    });
    expect([cassettesIn(path), cassettesIn(otherPath)]).toEqual([
      ["a", "b", "c"],
      ["a", "b", "c"],
    ]);
  });

  it("takes a folder whose cassettes all belong to a bundle, though no ledger names one", async () => {
    const { name } = setUp(["a", "b", "c"]);
    const trip = join(folder, "trip");
    mkdirSync(trip);
    await createBundleStore(nodeFiles(), pathBeside).save(join(trip, "trip.bundle.json"), await trioBundle());
    const ran = await cli(["prune", name, "trip", "--ledger", `${name}/ledger.jsonl`, "--write"]);
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining("5 cassettes checked: 0 orphans")]);
    expect(cassettesIn(trip)).toHaveLength(2);
  });

  it("reads the paths of a ledger from the folder of the ledger, so that it holds in another checkout", async () => {
    const { name, path } = setUp();
    mkdirSync(join(path, "usage"));
    const lines = ["a", "b"].map((file) => ({ file, path: `../${file}.cassette.json`, mode: "replay", turns: 1 }));
    writeFileSync(join(path, "usage", "all.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect((await cli(["prune", name, "--from", `${name}/usage`, "--write"])).code).toBe(0);
    expect(cassettesIn(path)).toEqual(["a", "b"]);
  });

  it.each(["live", "unfinished"])(
    "keeps the cassette of a test whose line is %s, which need not exist",
    async (mode) => {
      const { name, path } = setUp();
      const lines = [
        { file: "b", path: "b.cassette.json", mode, turns: 0 },
        { file: "new", path: "new.cassette.json", mode, turns: 0 },
        { file: "new", path: "new.failed.cassette.json", mode: "failed", turns: 1 },
      ];
      const added = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      writeFileSync(join(path, "ledger.jsonl"), `${ledgerOf(path, ["a"])}${added}`);
      await cli(["prune", name, "--ledger", `${name}/ledger.jsonl`, "--write"]);
      expect(cassettesIn(path)).toEqual(["a", "b"]);
    },
  );

  it("collects the ledgers of several --ledger", async () => {
    const { name, path } = setUp();
    writeFileSync(join(path, "second.jsonl"), ledgerOf(path, ["c"]));
    const ledgers = ["--ledger", `${name}/ledger.jsonl`, "--ledger", `${name}/second.jsonl`];
    expect((await cli(["prune", name, ...ledgers, "--write"])).code).toBe(0);
    expect(cassettesIn(path)).toEqual(["a", "c"]);
  });

  it.each([
    ["a ledger that does not exist", ["--ledger", "none.jsonl"]],
    ["a folder that does not exist", ["--from", "none"]],
    ["a folder without ledgers", ["--from", "none-in-it"]],
  ])("refuses %s, also next to one that does", async (_, more) => {
    const { name, path } = setUp();
    mkdirSync(join(folder, "none-in-it"), { recursive: true });
    const ran = await cli(["prune", name, "--ledger", `${name}/ledger.jsonl`, ...more, "--write", "--json"]);
    expect(documentOf(ran)).toMatchObject({ exitCode: 2, error: { code: "ledger-unreadable" } });
    expect(cassettesIn(path)).toEqual(["a", "b", "c"]);
  });

  it.each(["", "ledger-"])("refuses the ledgers %sI-of-N of some shards, and names those missing", async (stem) => {
    const { name, path } = setUp();
    const usage = join(path, "usage");
    mkdirSync(usage);
    writeFileSync(join(usage, `${stem}2-of-3.jsonl`), ledgerOf(path, ["a"]));
    const ran = await cli(["prune", name, "--from", `${name}/usage`, "--write"]);
    expect([ran.code, cassettesIn(path)]).toEqual([2, ["a", "b", "c"]]);
    expect(ran.err).toContain(`lacks ledgers of a run in 3 shards: ${stem}1-of-3.jsonl, ${stem}3-of-3.jsonl`);
    writeFileSync(join(usage, `${stem}1-of-3.jsonl`), "");
    writeFileSync(join(usage, `${stem}3-of-3.jsonl`), ledgerOf(path, ["c"]));
    expect((await cli(["prune", name, "--from", `${name}/usage`, "--write"])).code).toBe(0);
    expect(cassettesIn(path)).toEqual(["a", "c"]);
  });

  it.each<[string, (at: string) => void]>([
    ["too large", (at) => writeFileSync(at, " ".repeat(64 * 1024 * 1024 + 1))],
    ["a link to nothing", (at) => symlinkSync("nowhere", at)],
    ["damaged", (at) => writeFileSync(at, "{torn")],
  ])("fails for a bundle that is %s, and deletes nothing, since it may list any cassette", async (_, place) => {
    const { name, path } = setUp();
    place(join(path, "run.bundle.json"));
    const ran = await cli(["prune", name, "--ledger", `${name}/ledger.jsonl`, "--write"]);
    expect(ran.code).toBeGreaterThan(1);
    expect(ran.err).toContain("run.bundle.json");
    expect(cassettesIn(path)).toEqual(["a", "b", "c"]);
  });

  it("lists duplicates alone without a ledger, and deletes nothing then", async () => {
    const { name } = setUp();
    const ran = await cli(["prune", name]);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("orphans unknown without a ledger, 1 set of duplicates");
    expect(await cli(["prune", name, "--write"])).toMatchObject({ code: 2 });
    expect(await cli(["prune", "none"])).toMatchObject({ code: 2 });
  });
});
