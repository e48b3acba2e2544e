// The metrics of the gate: a threshold is crossed by a difference that is both beyond chance and larger than it.

import { describe, expect, it } from "vitest";
import type { GateSettings } from "../../../../src/harness/drift/gate-report.js";
import type { MetricName, MetricThreshold } from "../../../../src/harness/drift/metrics/figures.js";
import type { TracedRun } from "../../../../src/harness/drift/paths/path-table.js";
import { judge, run } from "../runs.js";

const up = (metric: MetricName, amount: number, isRelative = true): MetricThreshold => ({ metric, amount, isRelative });

/** A run on one path that cost this many USD. Undefined: nobody knows. */
function costing(cost: number | undefined, file: string): TracedRun {
  const known = { value: cost ?? 0, unknown: cost === undefined ? 1 : 0 };
  const tokens = { ...known, input: known.value, output: 0 };
  const unpriced = cost === undefined ? ["orbit-1"] : [];
  return { ...run("find", file), spending: { cost: known, tokens, latency: { value: 0, unknown: 1 }, unpriced } };
}

type Costs = readonly (number | undefined)[];

function costs(base: Costs, candidate: Costs, name = "a") {
  const runs = (list: Costs, side: string) => list.map((cost, index) => costing(cost, `${side}/${name}.${index}`));
  return { scenario: name, base: runs(base, "old"), candidate: runs(candidate, "new") };
}

function judged(scenarios: readonly ReturnType<typeof costs>[], settings: Partial<GateSettings>) {
  const report = judge(scenarios, settings);
  const cost = report.metrics.all.find(({ metric }) => metric === "cost");
  return { report, cost };
}

const cheap = [1, 1.1, 0.9, 1, 1.05, 0.95];
const dear = [1.5, 1.6, 1.4, 1.5, 1.55, 1.45];

describe("a metric with a threshold", () => {
  it("is a regression where it grew beyond chance and by more", () => {
    const { report, cost } = judged([costs(cheap, dear)], { thresholds: [up("cost", 0.2)] });
    const reason =
      "the cost rose from $1 to $1.5 a run, +50.0% [+43.0%, +57.4%], more than the allowed +20% (p = 0.0011)";
    expect(cost).toMatchObject({ verdict: "regression", test: { test: "permutation", sides: 1, p: 1 / 924 } });
    expect(cost?.reason?.replace(/\[.*?\]/, "")).toBe(reason.replace(/\[.*?\]/, ""));
    expect(report).toMatchObject({ verdict: "regression", reason: cost?.reason, fails: true });
    expect(report.failures).toEqual([{ kind: "metric", metric: "cost", verdict: "regression", reason: cost?.reason }]);
    expect(report.scenarios[0]?.verdict).toBe("same");
  });

  it("fails the gate even if no verdict does", () => {
    const { report } = judged([costs(cheap, dear)], { failOn: [], thresholds: [up("cost", 0.2)] });
    expect(report.fails).toBe(true);
  });

  it("is the same where it grew by less, fell, or grew within chance", () => {
    for (const [threshold, candidate, reason] of [
      [up("cost", 0.6), dear, "within the allowed +60%"],
      [up("cost", 0.6, false), dear, "within the allowed +0.6"],
      [up("cost", 0), cheap.map((each) => each / 2), "the cost fell from $1 to $0.5 a run"],
      [up("cost", 0), [1, 1.1, 0.9, 1.06, 1.05, 0.95], "but not beyond chance"],
      [up("cost", 0), cheap, "the cost stayed at $1 a run, within the allowed +0%"],
    ] as const) {
      const { report, cost } = judged([costs(cheap, candidate)], { thresholds: [threshold] });
      expect(cost?.verdict).toBe("same");
      expect(cost?.reason).toContain(reason);
      expect(report).toMatchObject({ verdict: "same", fails: false });
    }
  });

  it("is inconclusive where it grew by more, and so few runs cannot rule out chance", () => {
    const { report, cost } = judged([costs([1, 1], [2, 2])], { thresholds: [up("cost", 0.2)] });
    expect(cost?.reason).toContain("but so few runs cannot rule out chance (p = 0.17, least possible 0.17)");
    expect(report).toMatchObject({ verdict: "inconclusive", reason: cost?.reason, fails: false });
    const strict = judge([costs([1, 1], [2, 2])], { thresholds: [up("cost", 0.2)], onInconclusive: "fail" });
    expect(strict.failures).toMatchObject([{ kind: "metric", metric: "cost", verdict: "inconclusive" }]);
  });

  it("is inconclusive where a run is unknown, says which side and model, and never counts it as 0", () => {
    const { report, cost } = judged([costs([...cheap, undefined], dear)], { thresholds: [up("cost", 0.2)] });
    const reason =
      "the cost is unknown in 1 of 7 runs of the baseline: no list has a price of orbit-1. --prices FILE sets prices";
    expect(report).toMatchObject({ verdict: "inconclusive", reason, metrics: { unpriced: ["orbit-1"] } });
    expect(cost).toMatchObject({ verdict: "inconclusive", base: { runs: 7, unknown: 1, total: 6 } });
    expect(cost?.base).not.toHaveProperty("mean");
    expect(cost).not.toHaveProperty("difference");
    expect(cost).not.toHaveProperty("test");
  });

  it("crosses any share where the baseline took nothing", () => {
    const { cost } = judged([costs(Array(6).fill(0) as number[], dear)], { thresholds: [up("cost", 5)] });
    expect(cost).toMatchObject({ verdict: "regression" });
    expect(cost).not.toHaveProperty("relative");
  });

  it("is tested by pairs where every scenario has one run on each side", () => {
    const pairs = Array.from({ length: 8 }, (_, index) => costs([1 + index], [1.5 + index], `s${index}`));
    const { report, cost } = judged(pairs, { thresholds: [up("cost", 0.05)] });
    expect(cost?.test).toMatchObject({ test: "paired-permutation", p: 1 / 256, exact: true });
    expect(report.reason).toContain("over all scenarios the cost rose from $4.5 to $5 a run");
  });

  it("compares runs with those of their scenario alone", () => {
    // Sorted by amount the sides differ by little, but in every scenario the candidate costs more.
    const strata = Array.from({ length: 6 }, (_, index) =>
      costs([10 ** index, 10 ** index], [1.3 * 10 ** index, 1.3 * 10 ** index], `s${index}`),
    );
    expect(judged(strata, { thresholds: [up("cost", 0.2)] }).cost).toMatchObject({ verdict: "regression" });
  });
});

describe("a metric without a threshold", () => {
  it("is reported and decides nothing", () => {
    const { report, cost } = judged([costs(cheap, dear)], {});
    expect(report).toMatchObject({ verdict: "same", fails: false });
    expect(cost).toMatchObject({ test: { p: 1 / 924 }, relative: { value: expect.closeTo(0.5, 10) as number } });
    expect(cost).not.toHaveProperty("verdict");
  });

  it("takes nothing of the alpha of the other tests", () => {
    const scenarios = [costs(cheap, dear), costs(cheap, dear, "b")];
    const [without, withCost] = [judge(scenarios), judge(scenarios, { thresholds: [up("cost", 0.2)] })];
    expect(withCost.pooled.outcome?.test.p).toBe(without.pooled.outcome?.test.p);
    const free = judge(
      scenarios.map(({ scenario, base, candidate }) => ({ scenario, base: candidate, candidate: base })),
    );
    expect(free.pooled.distance?.test.adjusted).toBe(without.pooled.distance?.test.adjusted);
  });
});

describe("the correction for several metrics", () => {
  it("is Holm's over those with a threshold, which share alpha with the other kinds of tests", () => {
    const scenarios = [costs(cheap, dear)];
    const one = judged(scenarios, { thresholds: [up("cost", 0.2)] });
    expect(one.cost?.test?.adjusted).toBeCloseTo(1 / 924, 12);
    const two = judged(scenarios, { thresholds: [up("cost", 0.2), up("tokens", 0.2)] });
    expect(two.cost?.test?.adjusted).toBeCloseTo(2 / 924, 12);
    expect(two.report.metrics.correction).toBe(
      "Holm over the metrics with a threshold (cost, tokens); " +
        "Holm over the metrics without a threshold (turns, calls), which decide nothing",
    );
    const apart = costs(cheap, dear);
    const base = apart.base.map(({ file, ...rest }) => ({ ...rest, ...run("open", file), spending: rest.spending }));
    const shared = judged([{ ...apart, base } as ReturnType<typeof costs>], { thresholds: [up("cost", 0.2)] });
    expect(shared.cost?.test?.adjusted).toBeCloseTo(2 / 924, 12);
    expect(shared.report.metrics.correction).toBe(
      "Holm over the metrics with a threshold (cost), which share alpha with 1 other kind of test; " +
        "Holm over the metrics without a threshold (tokens, turns, calls), which decide nothing",
    );
  });

  it("covers gains as well, so that a false better is no more likely than any other finding", () => {
    const runs = (texts: readonly string[], side: string) => texts.map((text, at) => run(text, `${side}/a.${at}`));
    const scenario = {
      scenario: "a",
      base: runs(Array(6).fill("find!") as string[], "old"),
      candidate: runs(Array(6).fill("find") as string[], "new"),
    };
    const better = (settings: Partial<GateSettings>) => judge([scenario], settings).scenarios[0]?.outcome?.better;
    expect(better({})?.adjusted).toBeCloseTo(1 / 924, 12);
    // Success may also have fallen, and the turns are the same in every run.
    expect(better({ thresholds: [up("turns", 0)] })?.adjusted).toBeCloseTo(2 / 924, 12);
  });

  it("keeps false alarms at alpha or below over all ways to deal the same runs", () => {
    const amounts = [1, 1.2, 0.7, 2, 1.1, 3, 0.9, 1.7];
    const thresholds = [up("cost", 0), up("tokens", 0), up("turns", 0)];
    for (const alpha of [0.05, 0.2]) {
      let [splits, alarms] = [0, 0];
      for (let mask = 0; mask < 256; mask++) {
        const isBase = (index: number): boolean => ((mask >> index) & 1) === 1;
        const [base, candidate] = [amounts.filter((_, at) => isBase(at)), amounts.filter((_, at) => !isBase(at))];
        if (base.length !== 4) continue;
        splits++;
        if (judge([costs(base, candidate)], { alpha, thresholds }).verdict === "regression") alarms++;
      }
      expect(splits).toBe(70);
      expect(alarms / splits).toBeLessThanOrEqual(alpha);
      // It can alarm, or the rate would say nothing.
      expect(alarms).toBeGreaterThan(0);
    }
  });
});

it("depends neither on the order of the runs nor on that of the scenarios", () => {
  const [one, other] = [costs(cheap, dear), costs(dear, cheap, "b")];
  const settings = { thresholds: [up("cost", 0.2)] };
  const turned = { scenario: "a", base: [...one.base].reverse(), candidate: [...one.candidate].reverse() };
  expect(judge([other, turned], settings)).toEqual(judge([one, other], settings));
});
