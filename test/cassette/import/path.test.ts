import { describe, expect, it } from "vitest";
import { createPathIssuer, toStem } from "../../../src/cassette/import/path.js";

const pathOf = (model: string, task: string, trial?: string): string =>
  createPathIssuer()({ model, task, ...(trial === undefined ? {} : { trial }) });

describe("the path of a run", () => {
  it.each([
    ["gpt-4o", "banking/user_task_1", undefined, "gpt-4o/banking/user_task_1.cassette.json"],
    ["gpt-4o", "task_0", "3", "gpt-4o/task_0.3.cassette.json"],
    ["openai/gpt-4o", "a", undefined, "openai_gpt-4o/a.cassette.json"],
    ["m", "../../etc/passwd", undefined, "m/__/__/etc/passwd.cassette.json"],
    ["..", ".", undefined, "__/_.cassette.json"],
    ["", "", undefined, "_/_.cassette.json"],
    ["m", "/a//b/", undefined, "m/_/a/_/b/_.cassette.json"],
    ["m", ".hidden", ".t", "m/_hidden..t.cassette.json"],
    ["m", "a\\b:c*d\u0000é", undefined, "m/a_b_c_d__.cassette.json"],
    ["m", "a/b/c/d/e/f", undefined, "m/a/b/c/d/e_f.cassette.json"],
  ])("of %j %j %j is %j", (model, task, trial, path) => {
    expect(pathOf(model, task, trial)).toBe(path);
  });

  it("cuts a segment at 100 characters and keeps two long names apart", () => {
    const [folder, file] = pathOf("m".repeat(300), `${"t".repeat(300)}1`).split("/") as [string, string];
    expect(folder).toMatch(/^m{91}_[0-9a-f]{8}$/);
    expect(file).toMatch(/^t{77}_[0-9a-f]{8}\.cassette\.json$/);
    expect(file).toHaveLength(100);
    expect(pathOf("m", `${"t".repeat(300)}2`)).not.toContain(file);
  });

  it("numbers a path that was given out before, or that differs in case alone", () => {
    const issue = createPathIssuer();
    const paths = ["a", "a", "A", "a-2", "b?", "b!"].map((task) => issue({ model: "m", task }));
    expect(paths).toEqual(
      ["m/a", "m/a-2", "m/A-3", "m/a-2-2", "m/b_", "m/b_-2"].map((path) => `${path}.cassette.json`),
    );
  });

  it.each([
    ["CON", "nul", undefined, "CON_/nul_.cassette.json"],
    ["com1.x", "LPT9/prn", "2", "com1_.x/LPT9_/prn_.2.cassette.json"],
    ["gpt-4.", "a./b.", undefined, "gpt-4._/a._/b..cassette.json"],
    ["trailing ", "console", undefined, "trailing_/console.cassette.json"],
  ])("of %j %j %j is not a name that Windows reserves", (model, task, trial, path) => {
    expect(pathOf(model, task, trial)).toBe(path);
  });

  it("is given to any number of records with one name", () => {
    const issue = createPathIssuer();
    const paths = Array.from({ length: 50_000 }, () => issue({ model: "m", task: "t" }));
    expect(new Set(paths).size).toBe(50_000);
    expect([paths[0], paths[49_999]]).toEqual(["m/t.cassette.json", "m/t-50000.cassette.json"]);
  });

  it("stays within 100 characters when it is numbered", () => {
    const issue = createPathIssuer();
    const task = "t".repeat(86);
    expect(issue({ model: "m", task })).toBe(`m/${task}.cassette.json`);
    expect(issue({ model: "m", task }).split("/")[1]).toMatch(/^t{75}_[0-9a-f]{8}-2\.cassette\.json$/);
  });

  it("takes a lone surrogate in a name", () => {
    expect(pathOf("\ud800".repeat(200), "t")).toMatch(/^_{92}[0-9a-f]{8}\/t\.cassette\.json$/);
  });
});

describe("the stem of a source", () => {
  it.each([
    ["tau-bench-gpt-4o-airline.json.gz", "tau-bench-gpt-4o-airline"],
    ["/logs/a.b.jsonl", "a.b"],
    ["C:\\logs\\a.ndjson", "a"],
    ["plain", "plain"],
    ["", "log"],
    [".json", "log"],
  ])("of %j is %j", (source, stem) => {
    expect(toStem(source)).toBe(stem);
  });
});
