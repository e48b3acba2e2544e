import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CALL_ORDERS } from "../../src/cassette/index.js";
import { call, runOf, stepsOf } from "../cassette/diff/runs.js";
import { judgeRecording } from "../support/judge.js";
import { cli, documentOf, folder, place } from "./run.js";

const look = call("look", { place: "Oslo", at: 1 });
const a = place("a.cassette.json", stepsOf(look));
const sameCalls = place("same.cassette.json", runOf([{ say: "I look", calls: [look] }], "other"));
const changed = place("changed.json", stepsOf(call("look", { place: "Rome", at: 1 })));
const ESCAPE = "\u001b[2J";

/** A folder of cassettes by name. */
function set(name: string, cassettes: Record<string, ReturnType<typeof stepsOf>>): string {
  mkdirSync(join(folder, name, "bank"), { recursive: true });
  for (const [task, cassette] of Object.entries(cassettes)) place(`${name}/${task}.cassette.json`, cassette);
  return name;
}

const NO_CONTRACT = "  contract: offered tools and settings were not recorded, so not compared";

describe("cassette diff of null and an absent argument", () => {
  it("hints at the tolerance that makes them equal, once", async () => {
    const absent = place("absent.json", stepsOf(call("look", { at: 1 }), call("look", { at: 2 })));
    const none = place("null.json", stepsOf(call("look", { at: 1, zone: null }), call("look", { at: 2, zone: null })));
    const { out } = await cli(["diff", absent, none]);
    const entry = '{"*": {"/**": {"default": null}}}';
    expect(out.split(entry)).toHaveLength(2);
    expect((await cli(["diff", a, changed])).out).not.toContain(entry);
    writeFileSync(join(folder, "null-is-absent.json"), `{ "version": 1, "tools": ${entry} }`);
    expect((await cli(["diff", absent, none, "--tolerances", "null-is-absent.json"])).code).toBe(0);
  });

  it("hints at it for null deep in an argument, too", async () => {
    const absent = place("deep-absent.json", stepsOf(call("look", { at: {} })));
    const none = place("deep-null.json", stepsOf(call("look", { at: { zone: null } })));
    expect((await cli(["diff", absent, none])).out).toContain('{"*": {"/**": {"default": null}}}');
    expect((await cli(["diff", absent, none, "--tolerances", "null-is-absent.json"])).code).toBe(0);
  });
});

describe("cassette diff of two files", () => {
  it("exits 0 when the calls are the same, whatever was said", async () => {
    expect(await cli(["diff", a, sameCalls])).toEqual({
      code: 0,
      out: `same: 1 task compared, 1 same, 0 drifted\n  texts were not compared; --content compares them\n${NO_CONTRACT}\n`,
      err: "",
    });
  });

  it("exits 1 with --content when something else was said", async () => {
    const ran = await cli(["diff", a, sameCalls, "--content"]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain('The assistant\'s text "I look" was added at turn 0.');
    expect(ran.out).not.toContain("texts were not compared");
  });

  it("says in the document whether texts were compared", async () => {
    expect(documentOf(await cli(["diff", a, sameCalls, "--json"]))["contentCompared"]).toBe(false);
    expect(documentOf(await cli(["diff", a, sameCalls, "--content", "--json"]))["contentCompared"]).toBe(true);
  });

  it("names both files, by their paths where they are called the same", async () => {
    expect((await cli(["diff", a, changed])).out).toContain("a → changed.json: 1 drift\n");
    mkdirSync(join(folder, "other"));
    place("other/a.cassette.json", stepsOf(call("look", { place: "Rome", at: 1 })));
    const ran = await cli(["diff", "a.cassette.json", "other/a.cassette.json"]);
    expect(ran.out).toContain("a.cassette.json → other/a.cassette.json: 1 drift\n");
    const document = documentOf(await cli(["diff", a, changed, "--json"]));
    expect(document["tasks"]).toMatchObject([{ task: "changed.json" }]);
  });

  it("exits 1 with a sentence and the pointer, old and new", async () => {
    expect(await cli(["diff", a, changed])).toEqual({
      code: 1,
      out: [
        "a → changed.json: 1 drift",
        '  - look was called with other arguments at turn 0: /place was "Oslo" and is "Rome".',
        '      /place  "Oslo" → "Rome"',
        "",
        "drift: 1 task compared, 0 same, 1 drifted",
        "  1 args-changed",
        "  texts were not compared; --content compares them",
        NO_CONTRACT,
        "",
      ].join("\n"),
      err: "",
    });
  });

  it.each([["/place"], ["look:/place"]])("leaves out what --ignore %s names", async (pointer) => {
    expect((await cli(["diff", a, changed, "--ignore", pointer])).code).toBe(0);
    expect((await cli(["diff", a, changed, "--ignore", "/at", "--ignore", pointer])).code).toBe(0);
    expect((await cli(["diff", a, changed, "--ignore", "/at"])).code).toBe(1);
  });

  it("exits 2 for an --ignore that is not a pointer", async () => {
    const ran = await cli(["diff", a, changed, "--ignore", "place"]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('ignore contains malformed pointers: ["place"]');
  });

  it("says that a pair is a judge's, by its requests", async () => {
    const [old, now] = [
      place("grade-old.cassette.json", await judgeRecording()),
      place("grade-new.cassette.json", await judgeRecording(1)),
    ];
    expect((await cli(["diff", old, now, "--content"])).out).toContain("(a judge's recording): ");
  });

  it("exits 3 and says which side was refused", async () => {
    const torn = join(folder, "torn.json");
    writeFileSync(torn, "{");
    const ran = await cli(["diff", a, torn]);
    expect(ran).toMatchObject({ code: 3, out: "" });
    expect(ran.err).toContain(`  file: ${torn}\n`);
  });

  it("exits 2 for a missing file and for a file against a folder", async () => {
    expect((await cli(["diff", a, "gone.json"])).code).toBe(2);
    const ran = await cli(["diff", a, folder]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(`nothing to compare: ${a} is a file and ${folder} is a folder`);
  });

  it("escapes what recorded text would do to a terminal", async () => {
    const evil = place("evil.json", stepsOf(call(`look${ESCAPE}`, { [ESCAPE]: ESCAPE, place: `Rome${ESCAPE}` })));
    for (const argv of [
      ["diff", a, evil],
      ["diff", a, evil, "--json"],
    ]) {
      const ran = await cli(argv);
      expect(ran.code).toBe(1);
      expect(ran.out).toContain("\\u001b[2J");
      expect(ran.out).not.toContain("\u001b");
    }
  });
});

describe("cassette diff of two folders", () => {
  const old = set("old", { one: stepsOf(look), "bank/two": stepsOf(look, look), gone: stepsOf(look) });
  const now = set("now", { one: stepsOf(look), "bank/two": stepsOf(look), fresh: stepsOf(look) });

  it("pairs by the path below each, and counts one-sided tasks as drift", async () => {
    const ran = await cli(["diff", old, now, "--json"]);
    expect(ran.code).toBe(1);
    expect(documentOf(ran)).toMatchObject({
      command: "diff",
      tasks: [
        { task: "bank/two", drifts: [{ kind: "removed", tool: "look", oldTurn: 1 }] },
        { task: "one", drifts: [] },
      ],
      summary: { shared: 2, same: 1, drifted: 1, onlyOld: ["gone"], onlyNew: ["fresh"] },
    });
    const { out } = await cli(["diff", old, now]);
    expect(out).toContain("bank/two: 1 drift\n");
    expect(out).toContain(
      "only in the old set: gone\nonly in the new set: fresh\ndrift: 2 tasks compared, 1 same, 1 drifted\n  1 removed\n",
    );
  });

  it("lets one-sided tasks pass with --shared-only, and no drift", async () => {
    const left = set("left", { one: stepsOf(look), gone: stepsOf(look) });
    const right = set("right", { one: stepsOf(look) });
    expect((await cli(["diff", left, right])).code).toBe(1);
    expect((await cli(["diff", left, right, "--shared-only"])).code).toBe(0);
    expect((await cli(["diff", old, now, "--shared-only"])).code).toBe(1);
  });

  it("exits 2 when no task is shared", async () => {
    const alone = set("alone", { other: stepsOf(look) });
    const ran = await cli(["diff", old, alone]);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(
      /^error: nothing to compare: no cassette has the same path below old and below alone\n {2}hint: /,
    );
    expect((await cli(["diff", old, alone, "--shared-only"])).code).toBe(2);
    mkdirSync(join(folder, "empty"));
    expect((await cli(["diff", "empty", "empty"])).code).toBe(2);
  });

  it("lists every refusal and compares nothing", async () => {
    const bad = set("bad", { one: stepsOf(look) });
    writeFileSync(join(folder, "bad", "x.cassette.json"), "{");
    writeFileSync(join(folder, "bad", "y.cassette.json"), "\uFEFF{}");
    const ran = await cli(["diff", old, bad]);
    expect(ran).toMatchObject({ code: 3, out: "" });
    expect(ran.err).toContain(join("bad", "x.cassette.json"));
    expect(ran.err).toContain(join("bad", "y.cassette.json"));
    expect(ran.err).toContain("2 cassettes cannot be compared, so nothing was compared.");
    const document = documentOf(await cli(["diff", old, bad, "--json"]));
    expect(document.error?.code).toBe("not-json");
    expect(document["refused"]).toMatchObject([{ code: "not-json" }, { code: "byte-order-mark" }]);
  });
});

describe("cassette diff by order", () => {
  const old = place("order-old.cassette.json", stepsOf(call("find"), call("pay")));
  const swapped = place("order-new.cassette.json", stepsOf(call("pay"), call("find")));

  it("counts the order unless told otherwise, and says so", async () => {
    expect((await cli(["diff", old, swapped])).code).toBe(1);
    const ran = await cli(["diff", old, swapped, "--order", "unordered"]);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("  order of calls: unordered\n");
    expect(documentOf(await cli(["diff", old, swapped, "--order", "subset", "--json"]))).toMatchObject({
      order: "subset",
      readOnly: [],
    });
  });

  it("lets calls of read-only tools change places", async () => {
    const ran = await cli(["diff", old, swapped, "--read-only", "find", "--read-only", "p*"]);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("  read-only tools: find, p*\n");
    expect((await cli(["diff", old, swapped, "--read-only", "find"])).code).toBe(1);
  });

  it("takes the orders that the library has", async () => {
    const ran = await cli(["diff", old, swapped, "--order", "sorted"]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(CALL_ORDERS.join(", "));
  });
});
