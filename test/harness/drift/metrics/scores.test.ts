// Scores as metrics of the gate: more is better, a score that falls beyond chance and by more than its threshold is a regression, and
// equal sides raise an alarm no more often than alpha says.

import { describe, expect, it } from "vitest";
import type { GateSettings } from "../../../../src/harness/drift/gate-report.js";
import { METRICS, type MetricThreshold } from "../../../../src/harness/drift/metrics/figures.js";
import type { TracedRun } from "../../../../src/harness/drift/paths/path-table.js";
import { createRandom } from "../../../../src/harness/drift/statistics/random.js";
import { judge, run } from "../runs.js";

type Scores = Readonly<Record<string, number | readonly number[]>>;

const down = (name: string, amount: number, isRelative = false): MetricThreshold => ({
  metric: `score:${name}`,
  amount,
  isRelative,
});

function scored(scores: Scores, file: string, path = "find"): TracedRun {
  const grades = Object.entries(scores).map(([name, value]) => [name, [value].flat()] as [string, number[]]);
  return { ...run(path, file), scores: new Map(grades) };
}

function scenario(name: string, base: readonly Scores[], candidate: readonly Scores[]) {
  const runs = (list: readonly Scores[], side: string) =>
    list.map((scores, index) => scored(scores, `${side}/${name}.${index}`));
  return { scenario: name, base: runs(base, "old"), candidate: runs(candidate, "new") };
}

const helpful = (...values: number[]): Scores[] => values.map((value) => ({ helpful: value }));

function judged(scenarios: readonly ReturnType<typeof scenario>[], settings: Partial<GateSettings> = {}) {
  const report = judge(scenarios, settings);
  return { report, score: report.metrics.all.find(({ metric }) => metric === "score:helpful") };
}

const good = helpful(0.9, 0.85, 0.95, 0.9, 0.88, 0.92);
const bad = helpful(0.6, 0.65, 0.55, 0.6, 0.58, 0.62);

describe("a score with a threshold", () => {
  it("is a regression where it fell beyond chance and by more", () => {
    const { report, score } = judged([scenario("a", good, bad)], { thresholds: [down("helpful", 0.1)] });
    expect(score).toMatchObject({ verdict: "regression", unit: "points", test: { sides: 1, p: 1 / 924 } });
    expect(score?.reason?.replace(/\[.*?\]/, "[]")).toBe(
      "the score helpful fell from 0.9 to 0.6 on average, -0.3 [], more than the allowed -0.1 (p = 0.0011)",
    );
    expect(report).toMatchObject({ verdict: "regression", fails: true });
    expect(report.failures).toMatchObject([{ kind: "metric", metric: "score:helpful", verdict: "regression" }]);
    expect(report.metrics.correction).toContain("Holm over the metrics with a threshold (score:helpful)");
  });

  it("is the same where it rose, fell by less, or fell within chance", () => {
    const verdict = (base: Scores[], candidate: Scores[], threshold: MetricThreshold) =>
      judged([scenario("a", base, candidate)], { thresholds: [threshold] }).score?.verdict;
    expect(verdict(bad, good, down("helpful", 0))).toBe("same");
    expect(verdict(good, bad, down("helpful", 0.3))).toBe("same");
    expect(verdict(good, bad, down("helpful", 0.34, true))).toBe("same");
    expect(verdict(good, bad, down("helpful", 0.33, true))).toBe("regression");
    const below = (...values: number[]) => helpful(...values.map((value) => value - 100));
    expect(verdict(below(1, 2, 3, 4, 5, 6), below(-5, -4, -3, -2, -1, 0), down("helpful", 0.1, true))).toBe("same");
    expect(verdict(below(1, 2, 3, 4, 5, 6), below(-5, -4, -3, -2, -1, 0), down("helpful", 0.05, true))).toBe(
      "regression",
    );
    expect(verdict(good, helpful(0.89, 0.86, 0.94, 0.9, 0.87, 0.92), down("helpful", 0))).toBe("same");
  });

  it("is undecided with too few runs, and where runs lack it", () => {
    const few = judged([scenario("a", helpful(0.9, 0.9), helpful(0.1, 0.1))], { thresholds: [down("helpful", 0.1)] });
    expect(few.score?.verdict).toBe("inconclusive");
    expect(few.score?.reason).toContain("so few runs cannot rule out chance");
    const missing = judged([scenario("a", good, [...bad.slice(1), {}])], { thresholds: [down("helpful", 0.1)] });
    expect(missing.score).toMatchObject({ verdict: "inconclusive", candidate: { runs: 6, unknown: 1 } });
    expect(missing.score?.reason).toBe(
      "the score helpful is unknown in 1 of 6 runs of the candidate: their tests did not record it",
    );
  });

  it("may be negative, and is paired where each scenario has one run a side", () => {
    const names = Array.from({ length: 8 }, (_, index) => `task-${index}`);
    const scenarios = names.map((name, index) => scenario(name, helpful(-1 - index), helpful(-2 - index)));
    const { score } = judged(scenarios, { thresholds: [down("helpful", 0.5)] });
    expect(score).toMatchObject({
      verdict: "regression",
      base: { mean: -4.5 },
      candidate: { mean: -5.5 },
      test: { test: "paired-permutation", p: 1 / 256 },
    });
    expect(score?.reason).toContain("over all scenarios the score helpful fell from -4.5 to -5.5 on average, -1 [");
  });

  it("counts only the scenarios that have it", () => {
    const { score, report } = judged([scenario("a", good, bad), scenario("b", [{}, {}], [{}, {}])], {
      thresholds: [down("helpful", 0.1)],
    });
    expect(score).toMatchObject({ scenarios: 1, base: { runs: 6, unknown: 0 }, verdict: "regression" });
    expect(score?.reason).toMatch(/^over 1 of 2 scenarios the score helpful fell/);
    expect(report.scenarios.map(({ metrics }) => metrics.length)).toEqual([METRICS.length + 1, METRICS.length]);
  });
});

describe("a score without a threshold", () => {
  it("is reported and decides nothing", () => {
    const { report, score } = judged([scenario("a", good, bad)]);
    expect(score?.verdict).toBeUndefined();
    expect(report).toMatchObject({ verdict: "same", fails: false });
    expect(report.scenarios[0]?.base[0]).toMatchObject({ scores: { helpful: 0.9 } });
  });

  it("is the mean of repeated grades, whose agreement is measured", () => {
    const graded = (...grades: number[][]): Scores[] => grades.map((list) => ({ helpful: list }));
    const { score } = judged([scenario("a", graded([4, 5], [1, 1]), graded([2, 4], [3, 3]))]);
    expect(score).toMatchObject({ base: { mean: 2.75 }, candidate: { mean: 3 } });
    expect(score?.agreement).toMatchObject({ answers: 4, grades: 8, same: 0.5 });
  });
});

describe("false alarms with scores", () => {
  it("stay within alpha: two sides of the same runs, every metric and two scores gated at the strictest threshold", () => {
    const alpha = 0.2;
    const splits = 200;
    const random = createRandom(18, "split");
    const thresholds = [
      ...METRICS.map((metric) => ({ metric, amount: 0, isRelative: true })),
      down("helpful", 0),
      down("terse", 0),
    ];
    const share = (): number => random.below(1_000) / 1_000;
    let [alarms, byScore] = [0, 0];
    for (let split = 0; split < splits; split++) {
      const scenarios = Array.from({ length: 3 }, (_, index) => {
        // Tasks differ in difficulty, and both scores of a run are related. Only chance decides its side.
        const side = (name: string) =>
          Array.from({ length: 3 }, (__, at) => {
            const luck = share();
            const spent = { value: 1 + share(), unknown: 0 };
            return {
              ...scored({ helpful: index + luck, terse: index - luck }, `${name}/${index}.${at}`),
              success: luck < 0.7,
              spending: { cost: spent, tokens: { ...spent, input: 1, output: 1 }, latency: spent, unpriced: [] },
            };
          });
        return { scenario: `task-${index}`, base: side("old"), candidate: side("new") };
      });
      const { verdict, metrics } = judge(scenarios, { alpha, thresholds });
      if (verdict !== "same" && verdict !== "inconclusive") alarms++;
      if (metrics.all.some((each) => each.metric.startsWith("score:") && each.verdict === "regression")) byScore++;
    }
    // Two standard errors above alpha: such a count has a chance of 2 % if the rate is alpha.
    const most = splits * alpha + 2 * Math.sqrt(splits * alpha * (1 - alpha));
    expect(alarms).toBeLessThanOrEqual(most);
    expect(byScore).toBeGreaterThan(0);
  });
});
