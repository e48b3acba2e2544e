import { describe, expect, it } from "vitest";
import { checkTolerances } from "../../../src/cassette/tolerance/load.js";
import { judge, scenario, times } from "./runs.js";

describe("the verdict on one scenario", () => {
  it("is same where every run took the same path, and says where there are too few to show how runs vary", () => {
    const report = judge([scenario("a", ["find, open"], ["find, open"])]);
    const reason = "every run took the same path, but 1 run against 1 cannot show how runs vary";
    expect(report).toMatchObject({ verdict: "same", reason, fails: false });
    expect(report.pooled).toEqual({});
    expect(judge([scenario("a", times(2, "find"), times(2, "find"))]).reason).toBe("every run took the same path");
    expect(judge([scenario("a", times(2, "find"), times(3, "find"))], { minRuns: 3 }).reason).toContain(
      "2 runs against 3 cannot show",
    );
  });

  it("is inconclusive for two single runs that differ, with the runs that would decide it", () => {
    const report = judge([scenario("a", ["find"], ["open"])]);
    expect(report).toMatchObject({ verdict: "inconclusive", fails: false });
    expect(report.scenarios[0]?.runsNeeded).toBe(4);
    expect(report.reason).toContain("about 4 runs on each side would decide it");
    expect(judge([scenario("a", times(4, "find"), times(4, "open"))]).verdict).toBe("drift");
    expect(judge([scenario("a", times(3, "find"), times(3, "open"))]).verdict).toBe("inconclusive");
  });

  it("says which p-value would decide where the one that was found is small and does not", () => {
    const apart = scenario("a", times(5, "find?"), times(5, "open?"));
    const rest = ["b", "c", "d", "e", "f"].map((name) => scenario(name, times(5, "find?"), times(5, "open?")));
    const [first] = judge([apart, ...rest]).scenarios;
    expect(first).toMatchObject({
      verdict: "inconclusive",
      runsNeeded: 6,
      reason:
        "the paths differ in 5 runs against 5 (p = 0.0079), but 6 scenarios require p below 0.0042 (about 6 runs on each side would decide it)",
    });
    const level = judge([scenario("a", times(2, "find"), times(2, "find!"))]).reason;
    expect(level).toContain("the outcomes differ in 2 runs against 2 (p = 0.17), but two tests require p below 0.025");
    expect(judge([scenario("a", times(3, "find?"), times(3, "open?"))]).reason).toContain(
      "the paths differ in 3 runs against 3 (p = 0.1), but the test requires p below 0.05",
    );
  });

  it("is drift where the paths differ beyond chance", () => {
    const report = judge([scenario("a", times(8, "find, open"), times(8, "find, delete"))]);
    expect(report).toMatchObject({ verdict: "drift", fails: true });
    expect(report.scenarios[0]?.distance).toMatchObject({ withinBase: 0, withinCandidate: 0 });
    expect(report.scenarios[0]?.distance?.test).toMatchObject({ test: "permutation", exact: true, p: 2 / 12870 });
  });

  it("is same where the sides mix the same paths otherwise by chance", () => {
    const report = judge([
      scenario("a", [...times(6, "find"), ...times(4, "open")], [...times(4, "find"), ...times(6, "open")]),
    ]);
    expect(report.verdict).toBe("same");
    expect(report.reason).toContain("no difference beyond chance");
  });

  it("is regression where the candidate fails more often, and not where it fails less often", () => {
    const worse = scenario("a", times(10, "find"), times(10, "find!"));
    const better = scenario("a", times(10, "find!"), times(10, "find"));
    expect(judge([worse])).toMatchObject({ verdict: "regression", fails: true });
    expect(judge([worse]).reason).toContain("0 of 10 against 10 of 10");
    expect(judge([better])).toMatchObject({ verdict: "better", fails: false });
    expect(judge([better]).scenarios[0]?.outcome?.effect.value).toBe(1);
  });

  it("is inconclusive below --min-runs, though the test could decide", () => {
    const apart = scenario("a", times(8, "find"), times(8, "open"));
    expect(judge([apart], { minRuns: 9 }).verdict).toBe("inconclusive");
    expect(judge([apart], { minRuns: 9 }).scenarios[0]?.runsNeeded).toBe(9);
  });

  it("says when more than 200 runs would be needed", () => {
    const close = scenario(
      "a",
      [...times(10, "find"), ...times(10, "open")],
      [...times(11, "find"), ...times(10, "open")],
    );
    const [only] = judge([close], { minRuns: 21 }).scenarios;
    expect(only?.reason).toContain("more than 200 runs");
    expect(only).not.toHaveProperty("runsNeeded");
  });
});

describe("success that was gained", () => {
  const gained = scenario("gained", times(10, "find!"), times(10, "find"));
  const same = (name: string) => scenario(name, times(10, "find"), times(10, "find"));

  it("fails only where it is named", () => {
    const other = scenario("a", times(10, "find!"), times(10, "find"));
    expect(judge([other])).toMatchObject({
      verdict: "better",
      fails: false,
      reason: expect.stringMatching(
        /^the candidate succeeds more often: 10 of 10 against 0 of 10 \(p = [\de.-]+\)$/,
      ) as string,
    });
    expect(judge([other], { failOn: ["better"] })).toMatchObject({ fails: true, failures: [{ kind: "scenario" }] });
  });

  it("is drift where the runs also take other paths beyond chance, and the reason says both", () => {
    const other = scenario("a", [...times(2, "look"), ...times(18, "look!")], times(20, "delete_all"));
    const report = judge([other]);
    expect(report).toMatchObject({ verdict: "drift", fails: true, counts: { better: 0, drift: 1 } });
    expect(report.reason).toMatch(/^the runs take other paths: .*, but success rose: 20 of 20 against 2 of 20 \(p = /);
    expect(judge([other, same("b")])).toMatchObject({ verdict: "drift", fails: true });
    expect(judge([other], { failOn: ["regression"] })).toMatchObject({ verdict: "drift", fails: false });
  });

  it("is better where the paths differ within chance", () => {
    const paths = (...found: number[]) => found.map((many) => [...times(many, "find"), ...times(10 - many, "open")]);
    const [base = [], candidate = []] = paths(6, 5);
    const failed = base.map((tool) => `${tool}!`);
    expect(judge([scenario("a", failed, candidate)])).toMatchObject({ verdict: "better", fails: false });
  });

  it("makes the whole better where nothing else was found", () => {
    const report = judge([gained, same("b"), same("c")]);
    expect(report).toMatchObject({ verdict: "better", fails: false, counts: { better: 1, same: 2 } });
    expect(report.reason).toContain("1 of 3 scenarios improved (gained): the candidate succeeds more often");
    expect(report.pooled.others).toMatchObject({ adjusted: 1 });
  });

  it("hides neither a drift, a regression nor an undecided scenario next to it", () => {
    const drifted = scenario("b", times(10, "find"), times(10, "open"));
    expect(judge([gained, drifted]).verdict).toBe("drift");
    expect(judge([gained, scenario("b", times(10, "find"), times(10, "find!"))]).verdict).toBe("regression");
    expect(judge([gained, scenario("b", ["find"], ["open"])]).verdict).toBe("inconclusive");
    const mixed = [...times(5, "find"), ...times(5, "open")];
    const worse = scenario("b", times(2, "find"), times(2, "find!"));
    const report = judge([gained, worse, scenario("c", mixed, mixed)]);
    expect(report).toMatchObject({ verdict: "inconclusive", counts: { better: 1, inconclusive: 1 } });
    expect(report.reason).toMatch(/improved \(gained\): .*, but b may succeed less often: the outcomes differ/);
  });

  it("hides no drift that only the other scenarios together show", () => {
    const names = Array.from({ length: 20 }, (_, index) => `task_${index}`);
    const few = names.map((name) => scenario(name, times(2, "find"), times(2, "open")));
    const report = judge([gained, ...few]);
    expect(report.counts).toMatchObject({ better: 1, inconclusive: 20 });
    expect(report).toMatchObject({ verdict: "drift", fails: true });
    expect(report.failures.map(({ kind }) => kind)).toEqual(["pooled-distance"]);
  });

  it("decides nothing where no path test can, however many runs there are", () => {
    for (const runs of [8, 9]) {
      const one = scenario("a", times(runs, "find?"), [...times(runs - 1, "find?"), "open?"]);
      expect(judge([one]).verdict, String(runs)).toBe("inconclusive");
    }
    const small = ["a", "b"].map((name) => scenario(name, times(6, "find?"), [...times(5, "find?"), "open?"]));
    expect(judge(small).verdict).toBe("inconclusive");
  });

  it("is found over all scenarios together", () => {
    const names = Array.from({ length: 30 }, (_, index) => `task_${index}`);
    const single = names.map((name, index) => scenario(name, [index < 12 ? "find!" : "find"], ["find"]));
    const report = judge(single);
    expect(report).toMatchObject({ verdict: "better", fails: false });
    expect(report.reason).toContain("over all scenarios the candidate succeeds more often: 30 of 30 against 18 of 30");
  });

  it("is as careful as regression: corrected for the number of scenarios", () => {
    const slight = scenario("a", [...times(5, "find!"), ...times(1, "find")], times(6, "find"));
    expect(judge([slight]).verdict).toBe("better");
    const many = Array.from({ length: 30 }, (_, index) =>
      scenario(`b${index}`, [...times(3, "find"), ...times(3, "find!")], [...times(3, "find"), ...times(3, "find!")]),
    );
    expect(judge([slight, ...many]).counts.better).toBe(0);
  });

  it("is not said where runs do not say how they ended", () => {
    const untold = scenario("a", [...times(10, "find!"), "find?"], times(10, "find"));
    expect(judge([untold]).verdict).toBe("same");
    expect(judge([scenario("a", times(10, "find!"), [...times(10, "find"), "find?"])]).verdict).toBe("inconclusive");
  });
});

describe("the verdict on many scenarios", () => {
  const names = Array.from({ length: 30 }, (_, index) => `task_${index}`);

  it("pools single runs by McNemar's test: 8 of 30 scenarios are worse, none better", () => {
    const report = judge(names.map((name, index) => scenario(name, ["find"], [index < 8 ? "find!" : "find"])));
    expect(report.pooled.outcome?.test).toMatchObject({ test: "mcnemar", sides: 1, p: 1 / 256, exact: true });
    expect(report.verdict).toBe("regression");
    expect(report.counts).toEqual({ same: 22, better: 0, drift: 0, regression: 0, inconclusive: 8 });
  });

  it("pools distances of scenarios too small to be judged alone", () => {
    const report = judge(names.map((name) => scenario(name, ["find?", "find?"], ["open?", "open?"])));
    expect(report.verdict).toBe("drift");
    expect(report.counts.inconclusive).toBe(30);
    expect(report.pooled).not.toHaveProperty("outcome");
    expect(report.pooled.distance?.test).toMatchObject({ test: "stratified-permutation", exact: false });
  });

  it("finds one bad scenario among thirty good ones", () => {
    const good = names.map((name) => scenario(name, times(10, "find"), times(10, "find")));
    const report = judge([...good, scenario("worse", times(10, "find"), times(10, "find!"))]);
    expect(report.verdict).toBe("regression");
    expect(report.reason).toContain("1 of 31 scenarios got worse (worse): the candidate succeeds less often");
    expect(report.counts).toEqual({ same: 30, better: 0, drift: 0, regression: 1, inconclusive: 0 });
  });

  it("names the scenario that every report shows first, with its own figures", () => {
    const report = judge([
      scenario("a", [...times(9, "find"), "find!"], [...times(2, "find"), ...times(8, "find!")]),
      scenario("b", times(10, "find"), times(10, "find!")),
      scenario("c", times(10, "find"), times(10, "find")),
    ]);
    expect(report.reason).toMatch(
      /^2 of 3 scenarios got worse \(first: b\): the candidate succeeds less often: 0 of 10 against 10 of 10/,
    );
    expect(report.failures.flatMap(({ scenario: name }) => name ?? [])).toEqual(["b", "a"]);
  });

  it("does not call single runs that are alike a comparison beyond chance", () => {
    const report = judge(Array.from({ length: 8 }, (_, index) => scenario(`s${index}`, ["find"], ["find"])));
    expect(report).toMatchObject({ verdict: "same", fails: false });
    expect(report.reason).toBe(
      "nothing differs in 8 scenarios, but 8 of them have fewer than 2 runs on a side, too few to rule out a change",
    );
  });

  it("is inconclusive where paths of single runs differ and nothing can be tested", () => {
    const report = judge(names.map((name) => scenario(name, ["find?"], ["open?"])));
    expect(report.verdict).toBe("inconclusive");
    expect(report.pooled.distance?.test).toMatchObject({ p: 1, attainable: 1, adjusted: 1 });
    expect(
      judge(
        names.map((name) => scenario(name, ["find?"], ["open?"])),
        { onInconclusive: "fail" },
      ).fails,
    ).toBe(true);
  });

  it("counts scenarios on one side as drift, unless told to leave them", () => {
    const same = scenario("a", ["find"], ["find"]);
    const gone = { scenario: "gone", side: "base" as const, runs: 1, file: "old/gone.cassette.json", rules: [] };
    const one = judge([same], {}, { unpaired: [gone] });
    expect(one).toMatchObject({ verdict: "drift", onlyBase: ["gone"], unpaired: [gone], fails: true });
    expect(judge([same], { sharedOnly: true }, { unpaired: [gone] })).toMatchObject({ verdict: "same", fails: false });
  });

  it("says why scenarios that are named by UUIDs are on one side only", () => {
    const alone = (side: "base" | "candidate", name: string) => ({
      scenario: name,
      side,
      runs: 1,
      file: name,
      rules: [],
    });
    const unpaired = [
      alone("base", "5f0c9a3e-0b7d-4b8e-9a55-0a1b2c3d4e5f"),
      alone("candidate", "0a1b2c3d-4e5f-4b8e-9a55-5f0c9a3e0b7d"),
    ];
    expect(judge([scenario("a", ["find"], ["find"])], {}, { unpaired }).reason).toBe(
      "2 scenarios on one side only; names that are UUIDs cannot be paired: give the cassettes of one task the same name on both sides",
    );
  });

  it("calls a rule that is broken where only the candidate has runs a regression, --shared-only or not", () => {
    const location = { file: "new/evil.cassette.json", turn: 0 };
    const rules = [{ rule: "r", side: "candidate" as const, location, sentence: "delete was asked for." }];
    const evil = { scenario: "evil", side: "candidate" as const, runs: 1, file: location.file, rules };
    const report = judge([scenario("a", ["find"], ["find"])], { sharedOnly: true }, { unpaired: [evil] });
    const reason = "the candidate breaks a rule in evil, which the baseline does not have: delete was asked for.";
    expect(report).toMatchObject({ verdict: "regression", reason, fails: true });
    expect(report.failures).toEqual([{ kind: "unpaired", scenario: "evil", verdict: "regression", reason }]);
  });

  it("names each thing that fails, beginning with the one that the verdict names", () => {
    const report = judge([
      scenario("a", times(8, "find"), times(8, "find!")),
      scenario("b", times(8, "find"), times(8, "open")),
    ]);
    expect(report.failures.map(({ kind, scenario: name, verdict }) => [kind, name, verdict])).toEqual([
      ["scenario", "a", "regression"],
      ["scenario", "b", "drift"],
      ["pooled-outcome", undefined, "regression"],
      ["pooled-distance", undefined, "drift"],
    ]);
    expect(report.reason).toContain(report.failures[0]?.reason);
  });

  it("fails for a drift in addition to a regression that is let pass", () => {
    const both = [
      scenario("a", times(8, "find"), times(8, "find!")),
      scenario("b", times(8, "find"), times(8, "open")),
    ];
    expect(judge(both, { failOn: ["drift"] })).toMatchObject({ verdict: "regression", fails: true });
  });

  it.each<[string, string[], string[], string]>([
    [
      "the candidate has none",
      times(10, "find"),
      times(10, "find?"),
      "no run of the candidate recorded an outcome, but 10 of 10 of the baseline did",
    ],
    ["the baseline has none", times(3, "find?"), times(3, "find"), "no run of the baseline recorded an outcome"],
    [
      "some of the candidate's are missing",
      times(10, "find"),
      [...times(5, "find"), ...times(5, "find?")],
      "5 of 10 runs of the candidate did not record an outcome",
    ],
    [
      "one of the candidate's is missing, and the paths differ too little to tell",
      ["find", "find", "open"],
      ["find", "find", "open?"],
      "1 of 3 runs of the candidate did not record an outcome",
    ],
  ])("does not call outcomes the same where %s", (_name, base, candidate, reason) => {
    const report = judge([scenario("a", base, candidate)]);
    expect(report.verdict).toBe("inconclusive");
    expect(report.reason).toContain(reason);
    const missing = candidate.filter((run) => run.endsWith("?")).length;
    const counts = { base: base.filter((run) => run.endsWith("?")).length, candidate: missing };
    expect(report.withoutOutcome).toEqual(counts);
    expect(report.scenarios[0]?.withoutOutcome).toEqual(counts);
    expect(judge([scenario("a", base, candidate)], { onInconclusive: "fail" }).fails).toBe(true);
  });

  it("says so of all scenarios, however surely the others are the same", () => {
    const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
    const report = judge(
      names.map((name) => scenario(name, times(4, "find"), times(4, name === "s0" ? "find?" : "find"))),
    );
    expect(report).toMatchObject({ verdict: "inconclusive", counts: { same: 11, inconclusive: 1 } });
    expect(report.reason).toContain("outcomes are missing in 1 of 12 scenarios, such as s0: no run of the");
  });

  it("asks for no outcomes where nobody gives any, or where the baseline alone lacks some", () => {
    expect(judge([scenario("a", times(3, "find?"), times(3, "find?"))]).verdict).toBe("same");
    expect(judge([scenario("a", ["find", "find?"], ["find", "find"])])).toMatchObject({
      verdict: "same",
      withoutOutcome: { base: 1, candidate: 0 },
    });
  });

  it("shows a drift or a regression though outcomes are missing", () => {
    expect(judge([scenario("a", times(8, "find"), times(8, "open?"))]).verdict).toBe("drift");
    const lost = [...times(8, "find!"), "find?"];
    expect(judge([scenario("a", times(8, "find"), lost)]).verdict).toBe("regression");
  });

  it("fails on what it is told to fail on", () => {
    const apart = scenario("a", times(8, "find"), times(8, "open"));
    expect(judge([apart], { failOn: ["regression"] })).toMatchObject({ verdict: "drift", fails: false });
    expect(judge([apart], { failOn: [] }).fails).toBe(false);
  });

  it("calls a rule that the candidate alone breaks a regression", () => {
    const rules = new Map([
      [
        "a",
        [
          {
            rule: "never delete",
            side: "candidate" as const,
            location: { file: "new/a.cassette.json", turn: 1 },
            sentence: "delete was called.",
          },
        ],
      ],
    ]);
    const report = judge([scenario("a", ["find"], ["find"])], {}, { rules });
    expect(report).toMatchObject({
      verdict: "regression",
      reason: expect.stringContaining("delete was called.") as string,
    });
  });
});

const call = (name: string) => `${name}({"at":""})`;

describe("tolerances", () => {
  const near = checkTolerances({ version: 1, tools: { find: { "/at": [{ numeric: { absolute: 1 } }] } } });

  it("make one path of runs that are alike to the first run of it, though they are not alike among themselves", () => {
    const [only] = judge([scenario("a", ["find(2)", "find(1)"], ["find(3)", "find(4)"], near)]).scenarios;
    expect(only?.paths.map(({ base, candidate }) => [base, candidate])).toEqual([
      [2, 1],
      [0, 1],
    ]);
    expect(only?.base.map(({ path }) => path)).toEqual(["A", "A"]);
    expect(only?.candidate.map(({ path }) => path)).toEqual(["A", "B"]);
  });

  it("are named where paths differ otherwise", () => {
    const [only] = judge([scenario("a", ["find(1), open"], ["find(2)"], near)]).scenarios;
    expect(only?.tolerances).toMatchObject([{ tool: "find", pointer: "/at", times: 1 }]);
    expect(judge([scenario("a", ["find(1), open"], ["find(1)"], near)]).scenarios[0]?.tolerances).toEqual([]);
  });
});

describe("the report", () => {
  const mixed = scenario("a", ["find, open", "find", "find, open", "find?"], ["find", "find", "open!", "find"]);

  it("counts the paths of both sides, the baseline's most taken first", () => {
    const [only] = judge([mixed]).scenarios;
    expect(only?.paths).toEqual([
      { label: "A", steps: [[call("find")]], base: 2, candidate: 3 },
      { label: "B", steps: [[call("find")], [call("open")]], base: 2, candidate: 0 },
      { label: "C", steps: [[call("open")]], base: 0, candidate: 1 },
    ]);
    expect(only?.base.map(({ path }) => path)).toEqual(["B", "A", "B", "A"]);
  });

  it("counts outcomes of the runs that have one, with pass@k and pass^k", () => {
    expect(judge([mixed]).scenarios[0]?.outcome).toMatchObject({
      base: { runs: 3, successes: 3, passAt: [1, 1, 1], passHat: [1, 1, 1] },
      candidate: { runs: 4, successes: 3, passHat: [0.75, 0.5, 0.25, 0] },
    });
  });

  it("compares the most typical run of each side", () => {
    const even = scenario("a", times(4, "find"), ["open", "find", "find", "find"]);
    expect(judge([even]).scenarios[0]?.typical).toEqual({
      base: "old/a.000.cassette.json",
      candidate: "new/a.001.cassette.json",
    });
  });

  it("compares a run that succeeded with one that failed where success changed, though all took one path", () => {
    const pairs = (base: string[], candidate: string[]) =>
      judge([scenario("a", base, candidate)]).scenarios[0]?.typical;
    const [mixedRuns, good] = [["find", "find!", "find"], times(3, "find")];
    expect(pairs(good, mixedRuns)).toEqual({ base: "old/a.000.cassette.json", candidate: "new/a.001.cassette.json" });
    expect(pairs(mixedRuns, good)).toEqual({ base: "old/a.001.cassette.json", candidate: "new/a.000.cassette.json" });
    expect(judge([mixed]).scenarios[0]?.typical.candidate).toBe("new/a.002.cassette.json");
  });

  it("compares at most 100 runs of a side pair by pair and says so", () => {
    const many = scenario("a", times(150, "find"), [...times(60, "find"), ...times(60, "open")]);
    const [only] = judge([many]).scenarios;
    expect(only?.distance?.sampled).toEqual({ base: 100, candidate: 100 });
    expect(only?.paths[0]).toMatchObject({ base: 150, candidate: 60 });
    expect(only?.verdict).toBe("drift");
  });
});
