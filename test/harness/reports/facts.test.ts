import { describe, expect, it } from "vitest";
import { worstFirst } from "../../../src/harness/drift/paths/ranking.js";
import { headOf, lossLines, notShownLines, orderLines } from "../../../src/harness/reports/facts.js";
import { htmlReport } from "../../../src/harness/reports/html/report-page.js";
import { testText } from "../../../src/harness/reports/figures.js";
import { githubReport } from "../../../src/harness/reports/github.js";
import { junitReport } from "../../../src/harness/reports/junit.js";
import { sarifReport } from "../../../src/harness/reports/sarif.js";
import { markdownReport } from "../../../src/harness/reports/markdown.js";
import { textReport } from "../../../src/harness/reports/text.js";
import { judge, scenario as runsOf, times } from "../drift/runs.js";
import { edit, gateReport, outcomes, rejudged, scenario, testResult, unpaired } from "../../support/gate-report.js";

const changed = edit("x", { kind: "removed", tool: "get_iban", oldTurn: 1, arguments: {} });
const withEdit = { edits: [changed], firstDivergence: 0 };

describe("the order of scenarios", () => {
  it("is by verdict, then by success that was lost, then by name", () => {
    const report = gateReport([
      scenario("a", "drift"),
      scenario("b", "regression", { outcome: outcomes(4, 3, 4, 0.5) }),
      scenario("c", "regression", { outcome: outcomes(4, 0, 4, 0.01) }),
      scenario("d", "drift", { outcome: outcomes(4, 2, 4, 0.3) }),
    ]);
    expect(worstFirst(report).map((each) => each.scenario)).toEqual(["c", "b", "d", "a"]);
  });

  it("is by success first where it was lost over all together, and the worst is what a reader sees first", () => {
    const lost = { outcome: outcomes(4, 1, 4, 0.07) };
    const scenarios = [
      scenario("a", "drift", withEdit),
      scenario("b", "inconclusive", { ...lost, ...withEdit }),
      scenario("c", "same", { outcome: outcomes(4, 4, 4, 1) }),
    ];
    const pooled = { outcome: outcomes(12, 9, 12, 0.001) };
    const report = gateReport(scenarios, { pooled, verdict: "regression" });
    expect(worstFirst(report).map((each) => each.scenario)).toEqual(["b", "a", "c"]);
    expect(headOf(report)).toMatchObject({ scenario: { scenario: "b" }, edit: changed });
    expect(headOf(gateReport(scenarios))).toMatchObject({ scenario: { scenario: "a" } });
    for (const text of [textReport(report), markdownReport(report)]) {
      expect(text.indexOf("inconclusive")).toBeLessThan(text.lastIndexOf("drift"));
    }
    expect(markdownReport(report).replaceAll("&#8203;", "")).toContain(
      "In b success was lost: 4 of 4 runs before, 1 of 4 now",
    );
  });
});

describe("success that was lost on the same path", () => {
  const report = judge([runsOf("pay", times(8, "find"), [...times(2, "find"), ...times(6, "find!")])]);

  it("is said with the runs that failed", () => {
    const [only] = report.scenarios;
    expect(only === undefined ? [] : lossLines(only)).toEqual([
      "success was lost: 8 of 8 runs before, 2 of 8 now (failed: new/pay.002.cassette.json, new/pay.003.cassette.json, new/pay.004.cassette.json and 3 more)",
    ]);
  });

  it("is what each report names, where the typical runs do not differ", () => {
    expect(textReport(report)).toContain("  success was lost: 8 of 8 runs before, 2 of 8 now");
    expect(markdownReport(report)).toContain("### Where success was lost");
    const page = htmlReport(report);
    expect(page).toContain("Where outcomes were lost:");
    expect(page).not.toContain("No difference was found between the typical runs");
  });
});

describe("a pass over all scenarios together", () => {
  const names = Array.from({ length: 30 }, (_, index) => `s${String(index).padStart(2, "0")}`);
  const report = judge(
    names.map((name, index) => {
      const [one, other] = [
        ["find", "find", "open!"],
        ["find", "open!", "open!"],
      ];
      return index % 2 === 0 ? runsOf(name, one, other) : runsOf(name, other, one);
    }),
  );

  it("says what it does not show of each, and how large a loss would have fitted", () => {
    expect(report).toMatchObject({ verdict: "same", counts: { inconclusive: 30 } });
    const lines = notShownLines(report);
    expect(lines[0]).toBe(
      "not shown: that each scenario is the same, because 30 of 30 scenarios had too few runs to be judged alone",
    );
    expect(lines[1]).toMatch(
      /^not shown: that no success was lost, because a loss of up to [\d.]+ points fits these runs$/,
    );
    for (const line of lines) expect(textReport(report)).toContain(line);
    const page = htmlReport(report);
    expect(page).toContain("Same over all scenarios together");
    expect(page).toContain('<h1 class="verdict-line inconclusive">');
  });

  it("is not shown as a plain pass where single runs are alike", () => {
    const single = judge([runsOf("a", ["find"], ["find"])]);
    expect(htmlReport(single)).toContain('<h1 class="verdict-line inconclusive">');
    expect(markdownReport(single)).toContain("## ❔ Drift gate: same (passes)");
  });

  it("says nothing of it where each was judged", () => {
    expect(notShownLines(judge([runsOf("a", times(2, "find"), times(2, "find"))]))).toEqual([]);
    expect(htmlReport(judge([runsOf("a", times(2, "find"), times(2, "find"))]))).toContain(
      '<h1 class="verdict-line same">',
    );
  });
});

describe("calls that are only grouped into other turns", () => {
  const fact = { kind: "parallelised" as const, tools: ["a", "b"], oldTurns: [0, 1], oldTurn: 0, newTurn: 0 };
  const merged = { ...edit("x", fact), allowedBy: "unordered" as const };
  const report = gateReport([
    scenario("x", "drift", { edits: [merged], firstDivergence: 0 }),
    scenario("y", "drift", withEdit),
  ]);
  const advice = "1 of 2 scenarios that differ first make the same calls in fewer or more turns. --order unordered";

  it("are said with the order that allows them, in every report for a person", () => {
    expect(orderLines(report)[0]).toContain(advice);
    for (const text of [
      textReport(report),
      htmlReport(report),
      markdownReport(report).replaceAll("&#8203;", "").replaceAll("\\", ""),
    ]) {
      expect(text).toContain(advice);
      expect(text).toContain("--order unordered allows it");
    }
    for (const text of [junitReport(report), sarifReport(report), githubReport(report)]) {
      expect(text).toContain("--order unordered allows it");
    }
    expect(orderLines(gateReport([scenario("y", "drift", withEdit)]))).toEqual([]);
  });
});

describe("a gate that passes", () => {
  it("says in every report for a person how many scenarios are undecided", () => {
    const open = judge([runsOf("a", ["find"], ["open"]), runsOf("b", ["find"], ["find"])]);
    for (const text of [textReport(open), markdownReport(open), htmlReport(open), githubReport(open)]) {
      expect(text).toContain("1 of 2 scenarios is undecided");
    }
  });
});

describe("a gate that fails for several reasons", () => {
  const report = judge([
    runsOf("a", times(8, "find"), times(8, "find!")),
    runsOf("b", times(8, "find"), times(8, "open")),
  ]);

  it("names the same finding first wherever a machine reads it", () => {
    expect(report.reason).toMatch(/^1 of 2 scenarios got worse \(a\): /);
    expect(/::error .*?title=([^:]*)/.exec(githubReport(report))?.[1]).toBe("a%3A regression");
    expect(/<testcase name="([^"]*)"/.exec(junitReport(report))?.[1]).toBe("a");
    const { results } = (JSON.parse(sarifReport(report)) as { runs: [{ results: { message: { text: string } }[] }] })
      .runs[0];
    expect(results.map(({ message }) => message.text.split(".")[0]).slice(0, 4)).toEqual([
      "a: regression",
      "b: drift",
      "all scenarios: regression",
      "all scenarios: drift",
    ]);
  });

  it("begins with all scenarios together where no single one decided", () => {
    const names = Array.from({ length: 20 }, (_, index) => `task_${index}`);
    const pooled = judge(names.map((name) => runsOf(name, times(2, "find"), times(2, "open"))));
    expect(pooled.failures.map(({ kind }) => kind)).toEqual(["pooled-distance"]);
    expect(githubReport(pooled)).toMatch(/^::error [^:]*title=all scenarios%3A drift::/);
    expect(/<testcase name="([^"]*)"/.exec(junitReport(pooled))?.[1]).toMatch(/^all scenarios/);
  });

  it("lists each cause in every report for a person", () => {
    for (const text of [textReport(report), markdownReport(report), htmlReport(report)]) {
      expect(text).toContain("over all scenarios the candidate succeeds less often");
      expect(text).toContain("over all scenarios the runs take other paths");
    }
    expect(textReport(report)).toContain("  also fails for drift: over all scenarios the runs take other paths");
    const alone = rejudged({ ...report, unpaired: [unpaired("c", "candidate")] });
    expect(textReport(alone)).toContain("  also fails for drift: 1 scenario on one side only");
  });

  it("gives the same figures in each", () => {
    const figures = "p = 7.8e-5, corrected 3.1e-4";
    for (const text of [textReport(report), markdownReport(report), htmlReport(report), junitReport(report)]) {
      expect(text.replaceAll("\\", "")).toContain(figures);
    }
  });
});

describe("null in place of an absent argument", () => {
  it("brings the hint to tolerate it once in each report", () => {
    const change = edit("x", {
      kind: "args-changed",
      tool: "look",
      oldTurn: 1,
      newTurn: 1,
      changes: [{ pointer: "/zone", new: null }],
    });
    const report = gateReport([
      scenario("x", "drift", { edits: [change, change], firstDivergence: 0 }),
      scenario("y", "drift", { edits: [change], firstDivergence: 0 }),
    ]);
    for (const text of [textReport(report), markdownReport(report), htmlReport(report), junitReport(report)]) {
      expect(text.split("null and an absent argument differ here")).toHaveLength(2);
    }
  });
});

describe("figures", () => {
  it("that are very small are not shown as 0", () => {
    expect(testText(testResult(0.00002, { attainable: 9.5e-7 }), true)).toContain("(least possible 9.5e-7)");
  });

  it("of all of k runs are given at one k for both sides", () => {
    const report = judge([runsOf("a", [...times(9, "find"), "find!"], times(5, "find"))]);
    expect(textReport(report)).toContain("all of 5 runs succeed (pass^5)  50% → 100%, one of 5 (pass@5)  100% → 100%");
    const many = judge([
      runsOf("a", [...times(9, "find"), "find!"], times(2, "find")),
      runsOf("b", [...times(9, "find"), "find!"], times(10, "find")),
    ]);
    expect(many.pooled.outcome?.base.passHat).toHaveLength(2);
    expect(many.pooled.outcome?.candidate.passHat).toEqual([1, 1]);
    expect(textReport(many)).toContain("all of 2 runs succeed (pass^2)  80% → 100%");
  });

  it("that no test gave are not shown as if one had", () => {
    expect(textReport(judge([runsOf("a", times(10, "find"), times(10, "find"))]))).toContain(
      "success   10/10 → 10/10, +0.0 points",
    );
    expect(textReport(judge([runsOf("a", times(10, "find"), times(10, "find"))]))).toContain("no difference to test");
    expect(textReport(judge([runsOf("a", ["find"], ["open"])]))).toContain("Single runs do not show");
    const row = markdownReport(judge([runsOf("a", ["find", "open"], ["find!", "open!"])]));
    expect(row).toContain("100% → 0% (p = 0.17, corrected 1)");
  });

  it("mark paths whose tools are the same", () => {
    const text = textReport(judge([runsOf("a", ["find(1)", "find(2)"], ["find(3)", "open"])]));
    expect(text).toContain("A  1 → 0  find\n");
    expect(text).toContain("  find  (like A, with other arguments)\n");
    expect(text).toMatch(/ open\n/);
  });
});
