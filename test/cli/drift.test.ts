import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCassette } from "../../src/cassette/file/build.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { hashPrompt } from "../../src/cassette/prompt/prompt-delta.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { resealCassette } from "../../src/cassette/prompt/reseal.js";
import type { GateReport } from "../../src/harness/index.js";
import { hashJson, type JsonObject } from "../../src/core/index.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import { judgeRecording } from "../support/judge.js";
import { assertPublished } from "../support/published-schemas.js";
import { cli, documentOf, folder } from "./run.js";

/** A run that makes one call in each turn and then answers. */
function recording(tools: readonly string[], success: unknown, args: JsonObject = {}, sharedWith?: string): CassetteV2 {
  const messages: LlmMessage[] = [{ role: "user", content: "Go." }];
  const turns = [...tools, ""].map((name, turn) => {
    const call = { id: `c${turn}`, name, arguments: { at: turn, ...args } };
    const message =
      name === ""
        ? { role: "assistant" as const, content: "Done." }
        : { role: "assistant" as const, content: "", toolCalls: [call] };
    const promptHash = hashPrompt(messages);
    messages.push(message);
    if (name !== "") messages.push({ role: "tool", toolCallId: call.id, name, content: `${name} gave this` });
    return { promptHash, response: { message, stopReason: name === "" ? ("stop" as const) : ("toolUse" as const) } };
  });
  const head = { recordedAt: "2026-01-01T00:00:00.000Z", recordedProvider: "test", cassetteId: "0".repeat(32) };
  const outcome = { success, ...(sharedWith === undefined ? {} : { sharedWith }) };
  return buildCassette({ ...head, extensions: { outcome } }, turns);
}

/** A call of `weather`, which takes one property. */
function offered(property: string, isWhole = true): CassetteV2 {
  const schema = { type: "object", properties: { [property]: { type: "string" } } };
  const tools: JsonObject[] = [{ name: "weather", description: "Where.", schema }];
  const context = {
    fromTurn: 0,
    ...(isWhole ? { tools, settings: {} } : {}),
    toolsHash: hashJson(tools),
    settingsHash: hashJson({}),
  };
  const run = recording(["weather"], true, { [property]: "Oslo" });
  return resealCassette({ ...run, extensions: { ...run.extensions, contexts: [context] } }, run.entries);
}

function put(path: string, cassette: CassetteV2): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), formatCassette(cassette));
}

const file = (side: string, name: string) => `${side}/${name}.cassette.json`;

beforeAll(() => {
  for (let run = 0; run < 6; run++) {
    put(file("old", `shop/buy.${run}`), recording(["search", "buy"], true));
    put(file("new", `shop/buy.${run}`), recording(["search", "cancel"], true));
    put(file("worse", `shop/buy.${run}`), recording(["search", "buy"], false));
    put(file("again", `shop/buy.${run}`), recording(["search", "buy"], run > 0));
  }
  put(file("broken", "shop/buy.0"), recording(["search"], true));
  put(file("broken", "shop/buy.1"), recording(["search"], true));
  for (const name of ["shop/buy.0", "shop/buy.1"]) {
    const path = join(folder, file("broken", name));
    writeFileSync(path, readFileSync(path, "utf8").replace("Done.", "Gone."));
  }
});

describe("cassette drift", () => {
  it("exits 0 where the runs are alike", async () => {
    const ran = await cli(["drift", "old", "old"]);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("same: every run took the same path\n  1 scenario: 1 same\n");
    expect(ran.out).toContain("passes at alpha 0.05 with --fail-on regression,drift --on-inconclusive pass\n");
    expect(ran.err).toBe("warning: both sides are old, so nothing can differ\n");
    expect((await cli(["drift", "old", "old/../old"])).err).toContain("both sides are old");
    expect((await cli(["drift", "old", "again"])).err).toBe("");
  });

  it("leaves out what judges recorded, on one side or both, whatever its name is", async () => {
    for (const side of ["agents", "graded"]) put(file(side, "buy.1"), recording(["search", "buy"], true));
    put(file("graded", "grades.1"), await judgeRecording());
    put(file("graded", "grades.2.failed"), await judgeRecording());
    for (const jobs of ["1", "2"]) {
      for (const [base, candidate] of [
        ["agents", "graded"],
        ["graded", "agents"],
      ] as const) {
        const ran = await cli(["drift", base, candidate, "--json", "--jobs", jobs]);
        expect(ran.err).toBe("note: 2 recordings of judges left out of the comparison\n");
        expect(documentOf(ran)).toMatchObject({ verdict: "same", unpaired: [], scenarios: [{ scenario: "buy" }] });
      }
    }
    const both = await cli(["drift", "graded", "graded"]);
    expect(both.err).toContain("note: 4 recordings of judges left out of the comparison\n");
    const alone = file("graded", "grades.1");
    expect((await cli(["drift", alone, alone])).err).toContain("share only recordings of judges");
  });

  it("compares a scenario that a judge recorded on one side only", async () => {
    put(file("mixed", "buy.1"), await judgeRecording());
    const ran = await cli(["drift", "agents", "mixed", "--json"]);
    expect([ran.err, documentOf(ran)["scenarios"]]).toEqual(["", [expect.objectContaining({ scenario: "buy" })]]);
  });

  it("counts the outcome of a test with several cassettes once", async () => {
    for (const [side, success] of [
      ["several-old", true],
      ["several-new", false],
    ] as const) {
      for (const name of ["a", "b"]) put(file(side, `${name}.1`), recording(["buy"], success));
      for (const [name, sharedWith] of [
        ["a.more", "a.cassette.json"],
        ["sub/b", "../b.cassette.json"],
      ] as const) {
        put(file(side, `${name}.1`), recording(["buy"], success, {}, sharedWith));
      }
      put(file(side, "left.more.1"), recording(["buy"], success, {}, "left.cassette.json"));
    }
    const report = documentOf(await cli(["drift", "several-old", "several-new", "--json"])) as unknown as GateReport;
    expect(report.scenarios).toHaveLength(5);
    expect(report.pooled.outcome).toMatchObject({
      base: { runs: 3, successes: 3 },
      candidate: { runs: 3, successes: 0 },
      test: { test: "mcnemar", p: 0.125 },
    });
  });

  it("gives the same report with any number of threads", async () => {
    const sides = ["threads-old", "threads-new"];
    for (const side of sides) {
      for (const name of ["a", "b", "c"]) {
        for (const run of [0, 1, 2, 3, 4, 5]) {
          const tools = (run + side.length) % 3 === 0 ? ["find"] : ["find", "buy"];
          put(`${side}/${name}.${run}.cassette.json`, recording(tools.slice(0, run + 1), run === 0));
        }
      }
    }
    const [one, two, three] = [
      await cli(["drift", ...sides, "--json", "--jobs", "1"]),
      await cli(["drift", ...sides, "--json", "--jobs", "2"]),
      await cli(["drift", ...sides, "--json", "--jobs", "3"]),
    ];
    expect(one.out).toContain('"scenario": "c"');
    // The tests over all scenarios draw relabelings, of which there are too many to count all.
    expect(one.out.match(/"draws": 9999/g)?.length).toBeGreaterThan(1);
    expect(two).toEqual(one);
    expect(three).toEqual(one);
    writeFileSync(join(folder, `${sides[1] ?? ""}/b.0.cassette.json`), "{}");
    const refused = await cli(["drift", ...sides, "--json", "--jobs", "2"]);
    expect(refused.out).toContain("threads-new/b.0.cassette.json");
    expect(refused).toEqual(await cli(["drift", ...sides, "--json", "--jobs", "1"]));
  });

  it("exits 1 on other paths, and shows them, the figures, the first difference and its line", async () => {
    const ran = await cli(["drift", "old", "new"]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("drift: the runs take other paths");
    expect(ran.out).toContain("A  6 → 0  search, buy\n");
    expect(ran.out).toContain("B  0 → 6  search, cancel\n");
    expect(ran.out).toContain('first difference: buy({"at":1}) was removed');
    expect(ran.out).toMatch(/ {4}old\/shop\/buy\.0\.cassette\.json:\d+\n/);
    expect(ran.out).toContain("reproduce it: cassette drift old new\n");
  });

  it("exits 1 on worse outcomes and 0 on one failure in six", async () => {
    expect((await cli(["drift", "old", "worse"])).out).toContain(
      "regression: the candidate succeeds less often: 0 of 6",
    );
    expect((await cli(["drift", "old", "again"])).code).toBe(0);
  });

  it("fails on what --fail-on and --on-inconclusive name", async () => {
    expect((await cli(["drift", "old", "new", "--fail-on", "regression"])).code).toBe(0);
    expect((await cli(["drift", "old", "new", "--fail-on", "none"])).code).toBe(0);
    const [old, now] = [file("old", "shop/buy.0"), file("new", "shop/buy.0")];
    expect((await cli(["drift", old, now])).code).toBe(0);
    expect((await cli(["drift", old, now, "--on-inconclusive", "fail"])).code).toBe(1);
  });

  it("prints one JSON document with edits and timelines that name lines of the files", async () => {
    const document = documentOf(await cli(["drift", "old", "new", "--json"]));
    expect(document).toMatchObject({ command: "drift", verdict: "drift", fails: true, counts: { drift: 1 } });
    const [scenario] = document["scenarios"] as Record<string, unknown>[];
    expect(scenario).toMatchObject({ scenario: "shop/buy", typical: { base: file("old", "shop/buy.0") } });
    const { edits, timeline, firstDivergence } = scenario as {
      edits: { base?: { line: number; turn: number } }[];
      timeline: { base?: object; candidate?: object; edits: number[] }[];
      firstDivergence: number;
    };
    expect(firstDivergence).toBe(0);
    const text = readFileSync(join(folder, file("old", "shop/buy.0")), "utf8").split("\n");
    const line = edits[0]?.base?.line ?? 0;
    expect(text.slice(line - 1, line + 1).join("")).toContain('"turnIndex": 1');
    expect(timeline.map((row) => row.edits)).toEqual([[], [0], [1], []]);
    expect(timeline.map((row) => ["base" in row, "candidate" in row])).toEqual([
      [true, true],
      [true, false],
      [false, true],
      [true, true],
    ]);
  });

  it("writes each report where it is told, and replaces none unasked", async () => {
    const argv = ["drift", "old", "new", "--reporter", "text,json=out/drift.json"];
    expect((await cli(argv)).out).toContain("drift: ");
    const written = JSON.parse(readFileSync(join(folder, "out/drift.json"), "utf8")) as object;
    expect(written).toMatchObject({ schemaVersion: 1, verdict: "drift" });
    const again = await cli(argv);
    expect([again.code, again.out]).toEqual([2, ""]);
    expect(again.err).toContain("out/drift.json exists and was not replaced");
    expect((await cli([...argv, "--force"])).code).toBe(1);
    expect((await cli(["drift", "old", "new", "--reporter", "text,json"])).err).toContain("two reports would go to");
  });

  it("exits 2 with nothing to compare", async () => {
    for (const [base, candidate] of [
      ["old", "nowhere"],
      ["old", "old/shop"],
    ] as const) {
      const ran = await cli(["drift", base, candidate]);
      expect(ran.code).toBe(2);
    }
    expect((await cli(["drift", "old", "old/shop"])).err).toContain("no scenario is on both sides");
    const typo = await cli(["drift", "old", "new", "--success", "/sucess"]);
    expect([typo.code, typo.err]).toEqual([
      2,
      expect.stringContaining('no run has true, false or a number at "/sucess"'),
    ]);
  });

  it("exits 3 and names every refused file", async () => {
    const ran = await cli(["drift", "old", "broken"]);
    expect(ran.code).toBe(3);
    expect(ran.err).toContain(file("broken", "shop/buy.0"));
    expect(ran.err).toContain(file("broken", "shop/buy.1"));
    expect(ran.err).toContain("2 cassettes cannot be compared, so nothing was compared.");
    const refused = documentOf(await cli(["drift", "old", "broken", "--json"]))["refused"] as unknown[];
    expect(refused).toHaveLength(2);
  });

  it("counts a scenario on one side as drift, unless --shared-only", async () => {
    put(file("more", "shop/buy.0"), recording(["search", "buy"], true));
    put(file("more", "shop/sell.0"), recording(["sell"], true));
    const ran = await cli(["drift", "old", "more"]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("drift: 1 scenario on one side only\n");
    expect(ran.out).toContain("  only in the candidate: shop/sell\n");
    expect((await cli(["drift", "old", "more", "--shared-only"])).code).toBe(0);
  });

  it("holds every run of the candidate against the rules, those of its own scenarios too", async () => {
    put(file("extra", "shop/buy.0"), recording(["search", "buy"], true));
    put(file("extra", "shop/wipe.0"), recording(["delete_all"], true));
    writeFileSync(join(folder, "wipe.json"), '{"rulesVersion":1,"rules":[{"id":"r","never":"delete_all"}]}');
    const argv = ["drift", "old", "extra", "--rules", "wipe.json", "--shared-only"];
    const ran = await cli([...argv, "--reporter", "text,junit=extra.xml,sarif=extra.sarif"]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(
      "regression: the candidate breaks a rule in shop/wipe, which the baseline does not have: delete_all",
    );
    expect(ran.out).toContain("rule r broken in 1 of 1 run of the candidate: ");
    expect(ran.out).toContain("rules of wipe.json: 0 broken in the baseline, 1 in the candidate\n");
    expect(readFileSync(join(folder, "extra.xml"), "utf8")).toContain(
      '<failure message="the candidate breaks a rule in shop/wipe',
    );
    expect(readFileSync(join(folder, "extra.sarif"), "utf8")).toContain('"level": "error"');
    const [only] = documentOf(await cli([...argv, "--json"]))["unpaired"] as object[];
    expect(only).toMatchObject({ scenario: "shop/wipe", side: "candidate", runs: 1, rules: [{ rule: "r" }] });
    expect((await cli(["drift", "old", "extra", "--shared-only"])).code).toBe(0);
  });

  it("calls runs that crashed before they could say so neither a success nor the same", async () => {
    for (let run = 0; run < 6; run++) {
      const whole = recording(["search", "buy"], null);
      const outcome = { success: null, error: "crashed", reward: 1 };
      put(file("crashed", `shop/buy.${run}`), resealCassette({ ...whole, extensions: { outcome } }, whole.entries));
    }
    const ran = await cli(["drift", "old", "crashed", "--reporter", "text,junit=crashed.xml,markdown=crashed.md"]);
    expect(ran.out).toContain(
      "inconclusive: no run of the candidate recorded an outcome, but 6 of 6 of the baseline did",
    );
    const said = "6 runs did not record an outcome: 0 of the baseline, 6 of the candidate";
    for (const text of [ran.out, readFileSync(join(folder, "crashed.md"), "utf8")]) expect(text).toContain(said);
    expect(readFileSync(join(folder, "crashed.xml"), "utf8")).toContain(
      '<property name="without-outcome.candidate" value="6"/>',
    );
    const document = documentOf(await cli(["drift", "old", "crashed", "--json"]));
    expect(document).toMatchObject({ withoutOutcome: { base: 0, candidate: 6 }, verdict: "inconclusive" });
  });

  it("prints a command that accepts the candidate, or why it cannot", async () => {
    const accept = async (...argv: string[]) => {
      const { out } = await cli(["drift", ...argv]);
      return /^accept it: +(.*)$/m.exec(out)?.[1];
    };
    expect(await accept("old", "new")).toBe('cassette bless new --into old --reason "…"');
    expect(await accept("old", "worse")).toBe(
      "not possible yet: 6 of the candidate's runs failed, and a failing run is never accepted",
    );
    const files = [file("old", "shop/buy.0"), file("new", "shop/buy.3")];
    expect(await accept(...files)).toBe('cassette bless new/shop/buy.3.cassette.json --into old/shop --reason "…"');
    put("other/name.cassette.json", recording(["search"], true));
    expect(await accept(file("old", "shop/buy.0"), "other/name.cassette.json")).toContain(
      "these two files have different",
    );
    put(
      file("graded", "shop/buy.0"),
      resealCassette({ ...recording(["sell"], true) }, recording(["sell"], true).entries),
    );
    expect(await accept("old", "graded", "--success", "/success")).toBe(
      'cassette bless graded --into old --success /success --reason "…"',
    );
    put(file("half", "shop/buy.0"), recording(["sell"], true));
    put(file("half", "shop/lost.0"), recording(["sell"], false));
    expect(await accept("old", "half", "--shared-only")).toContain("1 of the candidate's runs failed");
    const document = documentOf(await cli(["drift", "old", "worse", "--json"]));
    expect(document["commands"]).toMatchObject({ notBlessed: expect.stringContaining("6 of the candidate") as string });
  });

  it("leaves out what --ignore names, and the order with --order unordered", async () => {
    put("order/a.cassette.json", recording(["one", "two"], true));
    put("order/b.cassette.json", recording(["two", "one"], true));
    const both = ["drift", "order/a.cassette.json", "order/b.cassette.json"];
    expect((await cli(both)).out).toContain("inconclusive");
    expect((await cli([...both, "--order", "unordered"])).out).toContain("inconclusive");
    expect((await cli([...both, "--order", "unordered", "--ignore", "/at"])).out).toContain("same: every run");
  });

  it("takes the orders of diff from the baseline to the candidate, says which, and repeats the flags", async () => {
    put("whole/a.cassette.json", recording(["one", "two"], true));
    put("part/a.cassette.json", recording(["one"], true));
    const fewer = ["drift", "whole/a.cassette.json", "part/a.cassette.json", "--read-only", "o*"];
    const allowed = await cli([...fewer, "--order", "subset"]);
    expect(allowed).toMatchObject({ code: 0, err: "" });
    expect(allowed.out).toContain("same: the order allows every difference");
    expect(allowed.out).toContain("order of calls: subset\nread-only tools: o*\n");
    expect(allowed.out).toContain("--read-only 'o*' --order subset\n");
    expect((await cli([...fewer, "--order", "superset"])).out).toContain("inconclusive");
    const more = ["drift", "part/a.cassette.json", "whole/a.cassette.json", "--json"];
    for (const order of ["in_order", "superset"]) {
      expect(documentOf(await cli([...more, "--order", order]))).toMatchObject({
        verdict: "same",
        settings: { order },
      });
    }
    expect(documentOf(await cli([...more, "--order", "subset"]))).toMatchObject({ verdict: "inconclusive" });
  });

  it("takes tolerated arguments for one path, says which tolerances it used, and repeats the flag", async () => {
    const sides = [
      [
        { city: "Oslo", day: 1 },
        { city: "oslo", day: 1.2 },
      ],
      [
        { city: "OSLO", day: 0.8 },
        { city: "oslo ", day: 1 },
      ],
    ];
    sides.forEach((runs, side) =>
      runs.forEach((args, run) => put(file(`mild/${side}`, `a.${run}`), recording(["find"], true, args))),
    );
    const rules = {
      version: 1,
      tools: { find: { "/city": ["trim", "case"], "/day": { numeric: { absolute: 0.5 } } } },
    };
    writeFileSync(join(folder, "mild.json"), JSON.stringify(rules));
    const both = ["drift", "mild/0", "mild/1"];
    expect((await cli(both)).out).toContain("inconclusive: the paths differ");

    const ran = await cli([...both, "--tolerances", "mild.json"]);
    expect(ran.out).toContain("same: every run took the same path\n");
    expect(ran.out).toMatch(/tolerances of mild\.json: used \d+ times\n {2}find:\/city {2}case, 3 times\n/);
    expect(ran.out).toContain("reproduce it: cassette drift mild/0 mild/1 --tolerances mild.json\n");
    const [only] = documentOf(await cli([...both, "--tolerances", "mild.json", "--json"]))["scenarios"] as object[];
    expect(only).toMatchObject({
      edits: [],
      tolerances: [
        { tool: "find", pointer: "/city", tolerance: "case", times: 3 },
        { tool: "find", pointer: "/city", tolerance: "trim", times: 1 },
        { tool: "find", pointer: "/day", times: 2 },
      ],
    });

    writeFileSync(join(folder, "cassette.tolerances.json"), JSON.stringify(rules));
    expect((await cli(both)).out).toContain("mild/1 --tolerances cassette.tolerances.json\n");
    expect((await cli([...both, "--no-tolerances"])).out).toContain(
      "reproduce it: cassette drift mild/0 mild/1 --no-tol",
    );
    rmSync(join(folder, "cassette.tolerances.json"));
    expect((await cli([...both, "--tolerances", "none.json"])).code).toBe(2);
  });

  it("calls a rule that the baseline keeps a regression, and lists one that neither keeps", async () => {
    for (const run of [0, 1]) {
      put(file("kept", `a.${run}`), recording(["search", "pay"], true));
      put(file("unkept", `a.${run}`), recording(["search", ...(run === 0 ? [] : ["pay", "pay"]), "pay"], true));
    }
    const pay = { id: "no-pay", never: "pay" };
    const rules = { rulesVersion: 1, rules: [pay, { id: "pay-once", atMost: { call: "pay", times: 1 } }] };
    writeFileSync(join(folder, "strict.json"), JSON.stringify(rules));
    const ran = await cli(["drift", "kept", "unkept", "--rules", "strict.json"]);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(
      "regression: the candidate breaks a rule that the baseline keeps: pay was called at turn 2",
    );
    expect(ran.out).toContain("rule no-pay broken in 2 of 2 runs of the baseline: ");
    expect(ran.out).toContain("rule pay-once broken in 1 of 2 runs of the candidate: ");
    expect(ran.out).toContain("rules of strict.json: 1 broken in the baseline, 2 in the candidate\n");
    expect(ran.out).toContain("reproduce it: cassette drift kept unkept --rules strict.json\n");
    const [only] = documentOf(await cli(["drift", "kept", "unkept", "--rules", "strict.json", "--json"]))[
      "scenarios"
    ] as { rules: { rule: string; side: string; location: { file: string; turn: number; line: number } }[] }[];
    expect(only?.rules.map(({ rule, side, location }) => [rule, side, location.file, location.turn])).toEqual([
      ["no-pay", "base", file("kept", "a.0"), 1],
      ["no-pay", "base", file("kept", "a.1"), 1],
      ["no-pay", "candidate", file("unkept", "a.0"), 1],
      ["no-pay", "candidate", file("unkept", "a.1"), 1],
      ["pay-once", "candidate", file("unkept", "a.1"), 2],
    ]);
    expect(only?.rules[3]).toMatchObject({ sentence: expect.stringContaining("And 2 more of this rule.") as string });
    const { turn, line } = only?.rules[4]?.location ?? { turn: -1, line: 0 };
    const text = readFileSync(join(folder, file("unkept", "a.1")), "utf8").split("\n");
    expect(text.slice(line - 1, line + 1).join("")).toContain(`"turnIndex": ${turn}`);
  });

  it("holds runs against cassette.rules.json where it lies, and against none with --no-rules", async () => {
    writeFileSync(join(folder, "cassette.rules.json"), '{"rulesVersion":1,"rules":[{"id":"r","never":"buy"}]}');
    const both = await cli(["drift", "old", "old"]);
    expect([both.code, both.out]).toEqual([
      0,
      expect.stringContaining("rule r broken in 6 of 6 runs of the candidate"),
    ]);
    expect((await cli(["drift", "old", "old", "--no-rules"])).out).not.toMatch(/rules? (r|of)\b/);
    writeFileSync(join(folder, "cassette.rules.json"), "{}");
    expect((await cli(["drift", "old", "old"])).code).toBe(2);
    rmSync(join(folder, "cassette.rules.json"));
    expect((await cli(["drift", "old", "old", "--rules", "none.json"])).code).toBe(2);
  });

  it("says what was offered otherwise, and which difference follows from it", async () => {
    put(file("before", "a"), offered("city"));
    put(file("after", "a"), offered("town"));
    const { out } = await cli(["drift", "before", "after"]);
    expect(out).toContain(
      "    the schema of the tool changed there, too\n  contract: The schema of tool weather no longer has /properties/city",
    );
    const [only] = documentOf(await cli(["drift", "before", "after", "--json"]))["scenarios"] as object[];
    expect(only).toMatchObject({
      contractState: "compared",
      contract: [
        { kind: "schema-changed", name: "weather", pointer: "/schema/properties/city" },
        { kind: "schema-changed", name: "weather", pointer: "/schema/properties/town" },
      ],
      edits: [{ drift: { kind: "args-changed" }, becauseOfSchema: true }],
    });
    const [silent] = documentOf(await cli(["drift", "old", "new", "--json"]))["scenarios"] as object[];
    expect(silent).toMatchObject({ contract: [], contractState: "not-recorded" });
  });

  it("says that offers differ where only their hashes were kept", async () => {
    put(file("before", "b"), offered("city", false));
    put(file("after", "b"), offered("town", false));
    const sides = [file("before", "b"), file("after", "b")];
    expect((await cli(["drift", ...sides])).out).toContain("  contract: The tools or settings changed");
  });

  it("says in every report it was asked for that nothing was compared, and leaves none of an earlier run", async () => {
    writeFileSync(join(folder, "stale.xml"), "green");
    const list =
      "junit=stale.xml,sarif=refused.sarif,github=refused.gh,markdown=refused.md,html=refused.html,json=refused.json";
    const ran = await cli(["drift", "old", "broken", "--force", "--reporter", `text,${list}`]);
    expect([ran.code, ran.out]).toEqual([3, ""]);
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    const broken = file("broken", "shop/buy.0");
    expect(read("stale.xml")).toContain('tests="2" failures="0" errors="2"');
    expect(read("stale.xml")).toContain(`<testcase name="${broken}"`);
    expect(JSON.parse(read("refused.sarif"))).toMatchObject({
      runs: [{ invocations: [{ executionSuccessful: false }], results: [{ level: "error" }, { level: "error" }] }],
    });
    expect(read("refused.gh")).toContain(`::error file=${broken},title=cassette drift%3A `);
    expect(read("refused.md")).toContain("## ❌ Drift gate: nothing was compared (fails)");
    expect(read("refused.md")).toContain(`\`${broken}\``);
    expect(read("refused.html")).toContain("Nothing was compared: the gate fails");
    expect(JSON.parse(read("refused.json"))).toMatchObject({ compared: false, refused: [{ file: broken }, {}] });
  });

  it("replaces the other reports if one is read-only, and exits by the refused cassette", async () => {
    writeFileSync(join(folder, "read-only.json"), "old");
    chmodSync(join(folder, "read-only.json"), 0o444);
    writeFileSync(join(folder, "other.xml"), "green");
    const reporter = "json=read-only.json,junit=other.xml";
    const ran = await cli(["drift", "old", "broken", "--force", "--reporter", reporter]);
    expect(ran.code).toBe(3);
    expect(ran.err).toContain(
      "read-only.json cannot be written: it is read-only, so a report of an earlier run may still be there",
    );
    expect(readFileSync(join(folder, "other.xml"), "utf8")).toContain('errors="2"');
    writeFileSync(join(folder, "other.xml"), "green");
    const compared = await cli(["drift", "old", "new", "--force", "--reporter", reporter]);
    expect(compared).toMatchObject({ code: 2, err: expect.stringContaining("it is read-only") as string });
    expect(readFileSync(join(folder, "other.xml"), "utf8")).toContain("<testsuites");
  });

  it("replaces no recording by a report", async () => {
    const recording = file("old", "shop/buy.0");
    const before = readFileSync(join(folder, recording), "utf8");
    for (const reporter of [`html=${recording}`, "json=new.cassette.json"]) {
      const ran = await cli(["drift", "old", "new", "--force", "--reporter", reporter]);
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("reserved for recordings")]);
    }
    writeFileSync(join(folder, "odd.json"), before);
    for (const argv of [
      ["show", "odd.json", "--html", "odd.json", "--force"],
      ["drift", "odd.json", "new", "--reporter", "json=odd.json", "--force"],
      ["export", "odd.json", "--format", "openai", "--out", "odd.json", "--force"],
    ])
      expect((await cli(argv)).err).toContain("odd.json would be replaced, and the command reads it");
    const bundle = await cli(["export", "odd.json", "--format", "openai", "--out", "x.bundle.json"]);
    expect(bundle.err).toContain("reserved for recordings");
    expect(readFileSync(join(folder, "odd.json"), "utf8")).toBe(before);
    expect(readFileSync(join(folder, recording), "utf8")).toBe(before);
  });

  it("refuses one file for two reports, however it is written, before it compares", async () => {
    const both = `json=twice.txt,markdown=${join(folder, "./sub/../twice.txt")}`;
    const ran = await cli(["drift", "old", "new", "--force", "--reporter", both]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("two reports would go to")]);
    expect(existsSync(join(folder, "twice.txt"))).toBe(false);
  });

  it("says so when nothing could be compared at all, and in the file of each of several candidates", async () => {
    for (const name of ["both.xml", "both.1.xml", "both.2.xml"]) writeFileSync(join(folder, name), "green");
    const several = ["--force", "--reporter", "junit=both.xml,html=both.html"];
    expect((await cli(["drift", "old", "new", "broken", ...several])).code).toBe(3);
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    expect([read("both.1.xml"), read("both.2.xml")]).toEqual([
      expect.stringContaining('errors="2"'),
      expect.stringContaining('errors="2"'),
    ]);
    expect(read("both.xml")).toBe("green");
    for (const name of ["both.html", "both.1.html", "both.2.html"])
      expect(read(name)).toContain("Nothing was compared");
    const none = await cli(["drift", "old", "nowhere", "--force", "--reporter", "junit=both.1.xml"]);
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining("nowhere does not exist") as string });
    expect(read("both.1.xml")).toContain("nowhere does not exist");
  });

  it("writes the page of several candidates to a file without a name before its extension", async () => {
    const ran = await cli(["drift", "old", "new", "again", "--reporter", "html=.html"]);
    expect([ran.code, ran.err]).toEqual([1, ""]);
    expect(readFileSync(join(folder, ".html"), "utf8")).toContain("<!doctype html>");
  });

  it("names files for a code host from the working folder, however the sides were given", async () => {
    const [base, candidate] = [join(folder, "old"), `./new/../new`];
    await cli(["drift", base, candidate, "--force", "--reporter", "sarif=abs.sarif,github=abs.gh,json=abs.json"]);
    const sarif = readFileSync(join(folder, "abs.sarif"), "utf8");
    expect(sarif).toContain('"uri": "old/shop/buy.0.cassette.json"');
    expect(sarif).not.toContain("file://");
    expect(readFileSync(join(folder, "abs.gh"), "utf8")).toContain("file=old/shop/buy.0.cassette.json");
    expect(readFileSync(join(folder, "abs.json"), "utf8")).toContain(
      JSON.stringify(join(base, "shop/buy.0.cassette.json")),
    );
  });

  it("takes a rate however it is written, and says which it takes", async () => {
    for (const rate of ["1e-9", "5e-2", "0.05", ".05"]) {
      expect((await cli(["drift", "old", "again", "--alpha", rate])).code, rate).toBe(0);
    }
    for (const rate of ["1e-10", "1", "0", "1e1", "0x1"]) {
      expect((await cli(["drift", "old", "again", "--alpha", rate])).err, rate).toContain("from 1e-9 to below 1");
    }
  });

  it("treats a bad file of tolerances as a bad file of rules", async () => {
    for (const text of ["{", "{}", '{"version":2,"tools":{}}']) {
      writeFileSync(join(folder, "bad.json"), text);
      for (const flag of ["--tolerances", "--rules"]) {
        const ran = await cli(["drift", "old", "again", flag, "bad.json", "--json"]);
        expect([ran.code, documentOf(ran).error?.code]).toEqual([2, `${flag.slice(2)}-malformed`]);
      }
    }
  });

  it("refuses settings that cannot be meant", async () => {
    for (const wrong of [
      ["--alpha", "1.5"],
      ["--min-runs", "0"],
      ["--fail-on", "worse"],
      ["--reporter", "xml"],
      ["--seed", "-1"],
      ["--success", "reward"],
      ["--order", "any"],
    ]) {
      expect((await cli(["drift", "old", "new", ...wrong])).code, wrong.join(" ")).toBe(2);
    }
    expect(existsSync(join(folder, "xml"))).toBe(false);
  });

  it.each([
    ["--ignore", "place", 'ignore contains malformed pointers: ["place"]'],
    ["--read-only", "", "readOnly: every name must be a non-empty string"],
  ])("refuses %s %j once, whatever the number of scenarios", async (option, value, message) => {
    const ran = await cli(["drift", "old", "new", option, value, "--json"]);
    expect(documentOf(ran).error).toMatchObject({ code: "invalid-options", message });
  });
});

describe("cassette drift with prices and thresholds", () => {
  const priced = (side: string, run: number, model: string, output: number): void => {
    const cassette = recording(["search", "buy"], true);
    const usage = { inputTokens: 1_000, outputTokens: output, cacheReadTokens: 400 };
    const entries = cassette.entries.map((entry) => ({ ...entry, response: { ...entry.response, model, usage } }));
    put(file(side, `buy.${run}`), resealCassette(cassette, entries));
  };
  beforeAll(() => {
    for (let run = 0; run < 6; run++) {
      priced("priced-old", run, "gpt-4o", 1_000 + run);
      priced("priced-new", run, "gpt-4o", 1_500 + run);
      priced("unpriced-new", run, run === 0 ? "orbit-1" : "gpt-4o", 1_500 + run);
    }
  });
  const gate = (...more: string[]) =>
    cli(["drift", join(folder, "priced-old"), join(folder, "priced-new"), "--alpha", "0.05", ...more]);

  it("reports both sides of every metric, and passes without a threshold", async () => {
    const ran = await gate();
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).toMatch(
      /^ {2}cost {6}\$0\.0361 → \$0\.0511 a run, \+41\.6% \[[^\]]+\], in sum \$0\.216 → \$0\.306, more\? p = 0\.0011, corrected 0\.0022 \(permutation, exact, one-sided\)$/m,
    );
    expect(ran.out).toMatch(
      /^ {2}tokens {4}6,008 → 7,508 a run, .*in sum 36,045 \(18,000 in, 7,200 read from a cache, 18,045 out\) → 45,045 /m,
    );
    expect(ran.out).toMatch(/^ {2}turns {5}3 → 3 a run, \+0\.0% .*, no difference to test$/m);
    expect(ran.out).toContain("  not recorded: latency\n");
  });

  it("fails on a threshold that is crossed, in every report, and repeats the flag", async () => {
    const report = join(folder, "cost.md");
    const page = join(folder, "cost.html");
    const xml = join(folder, "cost.xml");
    const ran = await gate(
      "--fail-on",
      "cost:+20%, turns:+1",
      "--reporter",
      `text,markdown=${report},html=${page},junit=${xml}`,
    );
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(
      /^regression: the cost rose from \$0\.0361 to \$0\.0511 a run, .* more than the allowed \+20%/m,
    );
    expect(ran.out).toContain(", allowed +20%: regression\n");
    expect(ran.out).toContain(", allowed +1: same\n");
    expect(ran.out).toContain("  metrics corrected by Holm over the metrics with a threshold (cost, turns)");
    expect(ran.out).toContain(
      "fails at alpha 0.05 with --fail-on drift,regression,cost:+20%,turns:+1 ".replace(
        "drift,regression",
        "regression,drift",
      ),
    );
    expect(ran.out).toMatch(/reproduce it: .*--fail-on '?regression,drift,cost:\+20%,turns:\+1'?/);
    const markdown = readFileSync(report, "utf8");
    expect(markdown).toMatch(
      /\| cost \| \\\$0\.0361 → \\\$0\.0511, \+41\.6% .* \| more\? p = 0\.0011.*allowed \+20%: regression \|/,
    );
    expect(markdown).toContain("Holm over the metrics with a threshold");
    const html = readFileSync(page, "utf8");
    expect(html).toMatch(/What a run takes, with\s+95% intervals/);
    expect(html).toContain("allowed +20%: regression");
    expect(readFileSync(xml, "utf8")).toMatch(
      /<testcase name="all scenarios: cost".*>[\s\S]*?<failure message="the cost rose/,
    );
    const only = await gate("--fail-on", "none,calls:+1", "--json");
    expect(documentOf(only)).toMatchObject({
      exitCode: 0,
      settings: { failOn: [], thresholds: [{ metric: "calls", amount: 1, isRelative: false }] },
      metrics: { all: [{ metric: "cost", relative: { value: expect.closeTo(0.416, 3) as number } }, {}, {}, {}, {}] },
    });
  });

  it("is inconclusive about an unknown cost, until a price file prices it", async () => {
    const sides = [join(folder, "priced-old"), join(folder, "unpriced-new")];
    const prices = join(folder, "drift-prices.json");
    writeFileSync(prices, JSON.stringify({ "orbit-1": { input: 2.5, output: 10 } }));
    const unknown = await cli(["drift", ...sides, "--fail-on", "cost:+20%", "--on-inconclusive", "fail"]);
    expect(unknown.code).toBe(1);
    expect(unknown.out).toMatch(
      /^inconclusive: the cost is unknown in 1 of 6 runs of the candidate: no list has a price of orbit-1\. --prices FILE/m,
    );
    expect(unknown.out).toContain(" → at least $0.255 in 6 runs, 1 of them unpriced, allowed +20%: inconclusive\n");
    expect(unknown.out).toContain("  no price of orbit-1. --prices FILE sets prices\n");
    const known = await cli(["drift", ...sides, "--fail-on", "cost:+20%", "--prices", prices]);
    expect(known.out).toMatch(/^regression: the cost rose/m);
    expect(known.out).toContain(`--prices ${prices}`);
    writeFileSync(prices, JSON.stringify({ "orbit-1": { input: 2.5, output: -10 } }));
    const wrong = await cli(["drift", ...sides, "--prices", prices, "--json"]);
    expect(documentOf(wrong)).toMatchObject({ exitCode: 2, error: { code: "prices-malformed" } });
  });

  it.each([
    ["cost:20%", '"cost:20%" has no +. Give an increase, such as cost:+20% or cost:+0.01.'],
    ["cost:-20%", '"cost:-20%" has no +.'],
    ["turns:+two", '"turns:+two" is not a threshold. Give an increase, such as turns:+20% or turns:+2.'],
    ["money:+2", '"money:+2" names no metric. The metrics are cost, tokens, turns, calls, latency and score:NAME.'],
    ["score:helpful:+0.1", "has no -, and a score gets worse if it falls. Give a decrease, such as score:helpful:-0.1"],
    ["score:helpful", '"score:helpful" is not a threshold. Give a decrease'],
    ["score:a b:-1", "has no valid name of a score. Use up to 60 letters"],
    ["cost:+1,cost:+2%", "cost has two thresholds. Give one."],
    ["cost", '"cost" is not a verdict. Use none, or some of'],
    ["none,drift,cost:+1", '"none" is not a verdict.'],
  ])("refuses --fail-on %s", async (value, message) => {
    const ran = await gate("--fail-on", value);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(message);
  });
});

describe("cassette drift of several candidates", () => {
  it("shows them in one table before the report of each, and shares alpha among them", async () => {
    const ran = await cli(["drift", "old", "again", "worse", "new"]);
    expect(ran.code).toBe(1);
    const [table = "", ...reports] = ran.out.split(/\n(?=[^\n]*\n\w+: )/);
    expect(table.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["", "again", "worse", "new"],
      ["verdict", "inconclusive", "regression (fails)", "drift (fails)"],
      ["success", "6/6 → 5/6", "6/6 → 0/6", "6/6 → 6/6"],
      ["turns a run", "3 → 3", "3 → 3", "3 → 3"],
      ["calls a run", "2 → 2", "2 → 2", "2 → 2"],
      ["shop/buy", "inconclusive 6/6 → 5/6", "regression 6/6 → 0/6", "drift 6/6 → 6/6"],
      ["alpha 0.05 over 3 candidates: each is judged at 0.0167."],
      [""],
    ]);
    expect(reports).toHaveLength(3);
    expect(ran.out.match(/(?:passes|fails) at alpha 0\.0167 with /g)).toHaveLength(3);
    expect(ran.out.match(/--alpha 0\.016666666666666666/g)).toHaveLength(3);
  });

  it("writes one file, or one for each candidate where a format holds one report", async () => {
    const into = (name: string) => `several/${name}`;
    const reporter = ["json=j.json", "markdown=m.md", "html=h.html", "junit=x.xml", "sarif=s.sarif"]
      .map((each) => each.replace("=", "=several/"))
      .join();
    mkdirSync(join(folder, "several"));
    expect(await cli(["drift", "old", "old", "worse", "--reporter", reporter])).toMatchObject({ code: 1 });
    const read = (name: string) => readFileSync(join(folder, into(name)), "utf8");
    const { alpha, reports } = JSON.parse(read("j.json")) as { alpha: number; reports: GateReport[] };
    expect(alpha).toBe(0.05);
    expect(reports.map(({ verdict, settings }) => [verdict, settings.alpha])).toEqual([
      ["same", 0.025],
      ["regression", 0.025],
    ]);
    expect(read("m.md").match(/playhead:cassette-drift/g)).toHaveLength(1);
    expect(read("m.md")).toContain("| verdict | same | regression");
    assertPublished("candidates", JSON.parse(read("j.json")));
    expect(read("h.html")).toContain('<a href="./h.2.html">worse</a>');
    expect(read("h.2.html")).toContain("regression");
    expect(read("h.2.html")).toContain('<a class="jump" href="./h.html">All candidates</a>');
    expect(read("x.1.xml")).toContain("<testsuite");
    expect(JSON.parse(read("s.2.sarif"))).toHaveProperty("runs");
    expect(existsSync(join(folder, into("x.xml")))).toBe(false);
    rmSync(join(folder, into("h.html")));
    const kept = await cli(["drift", "old", "old", "worse", "--reporter", `html=${into("h.html")}`]);
    expect(kept).toMatchObject({ code: 2 });
    expect(kept.err).toContain("h.1.html exists");
  });

  it("prints one JSON document", async () => {
    const document = documentOf(await cli(["drift", "old", "old", "worse", "--json"]));
    expect(document).toMatchObject({ alpha: 0.05, reports: [{ verdict: "same" }, { verdict: "regression" }] });
  });

  it("refuses a candidate named twice, and a page on standard output", async () => {
    expect((await cli(["drift", "old", "new", "new"])).err).toContain("the candidate new is named twice");
    const page = await cli(["drift", "old", "new", "worse", "--reporter", "html"]);
    expect(page).toMatchObject({ code: 2 });
    expect(page.err).toContain("cannot go to standard output");
  });
});
