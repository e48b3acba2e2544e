import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, runOf, stepsOf } from "../cassette/diff/runs.js";
import { cli, documentOf, folder, place } from "./run.js";

const RULES = [
  { id: "no-delete", never: "delete", reason: "It cannot be undone." },
  { id: "look-first", before: { first: "search", then: "book" } },
];

function rulesFile(name: string, rules: unknown = RULES): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ rulesVersion: 1, rules }));
  return path;
}

const kept = stepsOf(call("search"), call("book"));
const broken = runOf([{ calls: [call("book"), call("delete")] }, { calls: [call("delete")] }]);
mkdirSync(join(folder, "runs"));
const keptFile = place("runs/kept.cassette.json", kept);
const brokenFile = place("runs/broken.cassette.json", broken);

describe("cassette check", () => {
  it("exits 0 where all rules are kept, by cassette.rules.json unless told otherwise", async () => {
    rulesFile("cassette.rules.json", [RULES[1]]);
    expect(await cli(["check", keptFile])).toEqual({
      code: 0,
      out: "kept: 1 cassette checked against 1 rule, 1 kept, 0 broken\n",
      err: "",
    });
  });

  it("exits 2 for a folder without a cassette, and checks the others", async () => {
    mkdirSync(join(folder, "no-runs"));
    const ran = await cli(["check", keptFile, join(folder, "no-runs"), "--rules", rulesFile("one.json")]);
    expect(ran.code).toBe(2);
    expect(ran.out + ran.err).toContain("no-runs contains no");
    expect(ran.out).toContain("1 cassette checked");
  });

  it("exits 1 and names file, turn, rule, place and reason", async () => {
    expect(await cli(["check", join(folder, "runs"), "--rules", rulesFile("two.json")])).toEqual({
      code: 1,
      err: "",
      out: [
        `${brokenFile}: 2 rules broken`,
        "  - look-first, turn 0: book was called at turn 0, but search was not called in an earlier turn.",
        "      at /entries/0/response/message/toolCalls/0",
        "  - no-delete, turn 0: delete was called at turn 0, but must never be called.",
        "      at /entries/0/response/message/toolCalls/1",
        "      It cannot be undone.",
        "  - no-delete, turn 1: delete was called at turn 1, but must never be called.",
        "      at /entries/1/response/message/toolCalls/0",
        "      It cannot be undone.",
        "",
        "broken: 2 cassettes checked against 2 rules, 1 kept, 1 broken",
        "  no-delete  in 1 cassette",
        "  look-first  in 1 cassette",
        "",
      ].join("\n"),
    });
  });

  it("prints it as one document", async () => {
    const ran = await cli(["check", join(folder, "runs"), "--rules", rulesFile("two.json"), "--json"]);
    expect(documentOf(ran)).toMatchObject({
      command: "check",
      exitCode: 1,
      checked: 2,
      kept: 1,
      rules: [
        { id: "no-delete", kind: "never", brokenIn: 1 },
        { id: "look-first", kind: "before", brokenIn: 1 },
      ],
      files: [
        { file: brokenFile, breaks: [{ rule: "look-first", turn: 0 }, { rule: "no-delete" }, { turn: 1 }] },
        { file: keptFile, breaks: [] },
      ],
      unseen: [],
      failures: [],
    });
  });

  it("says what is unknown, and notes a tool that nobody calls or offers", async () => {
    const file = rulesFile("unknown.json", [
      { id: "cheap", within: { maxTokens: 10 } },
      { id: "typo", never: "delte" },
    ]);
    const { code, out } = await cli(["check", keptFile, "--rules", file]);
    expect(code).toBe(1);
    expect(out).toContain("  - cheap, turn 0 (unknown): Turn 0 does not report its tokens");
    expect(out).toContain("note  the rule typo names delte, which no cassette calls or offers\n");
  });

  it("goes on past a refused cassette, and exits 3", async () => {
    mkdirSync(join(folder, "torn"));
    place("torn/broken.cassette.json", broken);
    writeFileSync(join(folder, "torn/torn.cassette.json"), "{");
    const ran = await cli(["check", join(folder, "torn"), "--rules", rulesFile("two.json")]);
    expect(ran.code).toBe(3);
    expect(ran.out).toMatch(/refused {2}.*torn\.cassette\.json {2}not-json: /);
    expect(ran.out).toContain("broken: 1 cassette checked against 2 rules, 0 kept, 1 broken\n");
    expect(ran.out).toContain("1 file could not be checked\n");
  });

  it("exits 2 without cassettes, without rules, and for rules that cannot be meant", async () => {
    mkdirSync(join(folder, "none"));
    const rules = rulesFile("two.json");
    const none = await cli(["check", join(folder, "none"), "--rules", rules]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("so nothing was checked")]);
    const missing = await cli(["check", keptFile, "--rules", join(folder, "gone.json"), "--json"]);
    expect(documentOf(missing)).toMatchObject({ exitCode: 2, error: { code: "file-not-found" } });
    const wrong = await cli(["check", keptFile, "--rules", rulesFile("wrong.json", [{ id: "a", nevr: "x" }])]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("wrong.json at /rules/0/nevr")]);
    writeFileSync(join(folder, "torn.json"), "{");
    expect((await cli(["check", keptFile, "--rules", join(folder, "torn.json")])).code).toBe(2);
  });
});
