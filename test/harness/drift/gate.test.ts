import { describe, expect, it } from "vitest";
import { checkTolerances } from "../../../src/cassette/tolerance/load.js";
import { judge, scenario, times } from "./runs.js";

describe("the verdict on one scenario", () => {
  it("is same where every run took the same path, however few there are", () => {
    const report = judge([scenario("a", ["find, open"], ["find, open"])]);
    expect(report).toMatchObject({ verdict: "same", reason: "every run took the same path", fails: false });
    expect(report.pooled).toEqual({});
  });

  it("is inconclusive for two single runs that differ, with the runs that would decide it", () => {
    const report = judge([scenario("a", ["find"], ["open"])]);
    expect(report).toMatchObject({ verdict: "inconclusive", fails: false });
    expect(report.scenarios[0]?.runsNeeded).toBe(4);
    expect(report.reason).toContain("about 4 runs on each side would decide it");
    expect(judge([scenario("a", times(4, "find"), times(4, "open"))]).verdict).toBe("drift");
    expect(judge([scenario("a", times(3, "find"), times(3, "open"))]).verdict).toBe("inconclusive");
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
    expect(judge([better])).toMatchObject({ verdict: "same", fails: false });
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

describe("the verdict on many scenarios", () => {
  const names = Array.from({ length: 30 }, (_, index) => `task_${index}`);

  it("pools single runs by McNemar's test: 8 of 30 scenarios are worse, none better", () => {
    const report = judge(names.map((name, index) => scenario(name, ["find"], [index < 8 ? "find!" : "find"])));
    expect(report.pooled.outcome?.test).toMatchObject({ test: "mcnemar", sides: 1, p: 1 / 256, exact: true });
    expect(report.verdict).toBe("regression");
    expect(report.counts).toEqual({ same: 22, drift: 0, regression: 0, inconclusive: 8 });
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
    expect(report.reason).toContain("regression in 1 of 31 scenarios");
    expect(report.counts).toEqual({ same: 30, drift: 0, regression: 1, inconclusive: 0 });
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
    const one = judge([same], {}, { onlyBase: ["gone"] });
    expect(one).toMatchObject({ verdict: "drift", onlyBase: ["gone"], fails: true });
    expect(judge([same], {}, { onlyBase: ["gone"], sharedOnly: true })).toMatchObject({
      verdict: "same",
      fails: false,
    });
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

  it("names the most typical run of each side", () => {
    expect(judge([mixed]).scenarios[0]?.typical.candidate).toBe("new/a.000.cassette.json");
  });

  it("compares at most 100 runs of a side pair by pair and says so", () => {
    const many = scenario("a", times(150, "find"), [...times(60, "find"), ...times(60, "open")]);
    const [only] = judge([many]).scenarios;
    expect(only?.distance?.sampled).toEqual({ base: 100, candidate: 100 });
    expect(only?.paths[0]).toMatchObject({ base: 150, candidate: 60 });
    expect(only?.verdict).toBe("drift");
  });
});
