// Laws of the drift gate: its tests give probabilities, do not mind the order of runs or which side is which, and alarm no more
// often than was accepted; its distance is a metric.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fisherTest } from "../../src/harness/drift/statistics/fisher.js";
import { holmAdjust, selectTestable } from "../../src/harness/drift/statistics/holm.js";
import { permutationTest, type DistanceTable } from "../../src/harness/drift/statistics/permutation.js";
import { createRandom } from "../../src/harness/drift/statistics/random.js";
import { stratifiedTest } from "../../src/harness/drift/statistics/stratified.js";
import { rateDifference } from "../../src/harness/drift/statistics/effect.js";
import { trajectoryDistance } from "../../src/harness/drift/paths/trajectory.js";
import { judge, run, scenario } from "../harness/drift/runs.js";

const counts = fc
  .integer({ min: 1, max: 300 })
  .chain((runs) => fc.record({ runs: fc.constant(runs), successes: fc.integer({ min: 0, max: runs }) }));
const path = fc
  .array(fc.array(fc.constantFrom("a", "a(1)", "a(2)", "b", "c"), { minLength: 1, maxLength: 3 }), { maxLength: 6 })
  .map((turns) => turns.map((turn) => turn.join("+")).join(","));
const outcome = fc.tuple(path, fc.constantFrom("", "!", "?")).map(([steps, mark]) => steps + mark);
const runs = fc.array(outcome, { minLength: 1, maxLength: 5 });

describe("p-values", () => {
  it("lie in (0, 1], and none is below what can be attained", () => {
    fc.assert(
      fc.property(counts, counts, fc.constantFrom(1 as const, 2 as const), (base, candidate, sides) => {
        const { p, attainable } = fisherTest(base, candidate, sides);
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(p).toBeGreaterThanOrEqual(attainable * (1 - 1e-9));
      }),
    );
  });

  it("of two sides do not depend on which is which, nor on what is called a success", () => {
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        const { p } = fisherTest(a, b, 2);
        const flip = ({ runs: all, successes }: typeof a) => ({ runs: all, successes: all - successes });
        expect(fisherTest(b, a, 2).p).toBeCloseTo(p, 9);
        expect(fisherTest(flip(a), flip(b), 2).p).toBeCloseTo(p, 9);
      }),
    );
  });

  it("of both directions overlap in what was observed alone", () => {
    fc.assert(
      fc.property(counts, counts, (a, b) => {
        expect(fisherTest(a, b, 1).p + fisherTest(b, a, 1).p).toBeGreaterThanOrEqual(1 - 1e-9);
      }),
    );
  });

  it("of many scenarios do not depend on their order, and one more where nothing varies changes nothing", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ base: counts, candidate: counts }), { minLength: 1, maxLength: 6 }),
        (strata) => {
          const { p } = stratifiedTest(strata);
          expect(stratifiedTest([...strata].reverse()).p / p).toBeCloseTo(1, 6);
          const still = { base: { runs: 3, successes: 3 }, candidate: { runs: 2, successes: 2 } };
          expect(stratifiedTest([...strata, still]).p / p).toBeCloseTo(1, 6);
        },
      ),
    );
  });

  it("grow by Holm's correction, and by no more than Bonferroni's", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 1e-9, max: 1, noNaN: true }), { maxLength: 20 }), (p) => {
        holmAdjust(p).forEach((adjusted, index) => {
          expect(adjusted).toBeGreaterThanOrEqual(p[index] as number);
          expect(adjusted).toBeLessThanOrEqual(Math.min(1, (p[index] as number) * p.length) + 1e-12);
        });
        const chosen = selectTestable(p, 0.05);
        const size = chosen.filter(Boolean).length;
        p.forEach((value, index) => expect(chosen[index] === true ? value * size <= 0.05 + 1e-12 : true).toBe(true));
      }),
    );
  });
});

describe("the interval of a difference", () => {
  it("holds the difference, and turns round with the sides", () => {
    fc.assert(
      fc.property(counts, counts, (base, candidate) => {
        const { value, low, high } = rateDifference([{ base, candidate }], 0.95);
        expect(low).toBeLessThanOrEqual(value + 1e-12);
        expect(high).toBeGreaterThanOrEqual(value - 1e-12);
        const other = rateDifference([{ base: candidate, candidate: base }], 0.95);
        expect(other.low).toBeCloseTo(-high, 9);
      }),
    );
  });
});

describe("the distance of two paths", () => {
  it("is a metric from 0 to 1", () => {
    fc.assert(
      fc.property(path, path, path, (x, y, z) => {
        const [a, b, c] = [x, y, z].map((text) => run(text, "").trajectory) as [Path, Path, Path];
        const [ab, bc, ac] = [trajectoryDistance(a, b), trajectoryDistance(b, c), trajectoryDistance(a, c)];
        expect(trajectoryDistance(b, a)).toBeCloseTo(ab, 12);
        expect(ab === 0).toBe(a.key === b.key);
        expect(ab).toBeLessThanOrEqual(1);
        expect(ac).toBeLessThanOrEqual(ab + bc + 1e-12);
      }),
      { numRuns: 500 },
    );
  });
});

type Path = ReturnType<typeof run>["trajectory"];

describe("the report", () => {
  it("is the same in whatever order runs and scenarios come", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(runs, runs), { minLength: 1, maxLength: 4 }), (sides) => {
        const scenarios = sides.map(([base, candidate], index) => scenario(`s${index}`, base, candidate));
        const turned = scenarios.map(({ scenario: name, base, candidate }) => ({
          scenario: name,
          base: [...base].reverse(),
          candidate: [...candidate].reverse(),
        }));
        expect(judge([...turned].reverse())).toEqual(judge(scenarios));
      }),
      { numRuns: 50 },
    );
  });

  it("finds nothing where a side is compared with itself, and is sure of it where all runs say how they ended", () => {
    fc.assert(
      fc.property(fc.array(runs, { minLength: 1, maxLength: 4 }), (sides) => {
        const report = judge(sides.map((side, index) => scenario(`s${index}`, side, side)));
        const isHalfTold = (side: string[]) => new Set(side.map((text) => text.endsWith("?"))).size === 2;
        const open = sides.filter(isHalfTold).length;
        expect(report.verdict).toBe(open === 0 ? "same" : "inconclusive");
        expect(report.counts).toMatchObject({ same: sides.length - open, inconclusive: open });
      }),
      { numRuns: 50 },
    );
  });
});

describe("false alarms", () => {
  /** Three standard deviations of a binomial above the level. */
  const bound = (alpha: number, trials: number) => alpha + 3 * Math.sqrt((alpha * (1 - alpha)) / trials);

  it("of the whole gate are no more frequent than alpha, with runs drawn from one distribution", () => {
    const random = createRandom(2026, "null");
    const draw = () =>
      `${["find", "find, open", "find, read, open", "ask"][random.below(4)] ?? ""}${random.below(10) < 3 ? "!" : ""}`;
    const side = () => Array.from({ length: 5 }, draw);
    const trials = 300;
    for (const alpha of [0.05, 0.2]) {
      let alarms = 0;
      for (let trial = 0; trial < trials; trial++) {
        const scenarios = Array.from({ length: 3 }, (_, index) => scenario(`s${index}`, side(), side()));
        const { verdict } = judge(scenarios, { alpha, seed: trial });
        if (verdict === "drift" || verdict === "regression") alarms++;
      }
      expect(alarms / trials).toBeLessThanOrEqual(bound(alpha, trials));
    }
  }, 60_000);

  it("of the permutation test alone are as frequent as its level says, where it can reach it", () => {
    const random = createRandom(2026, "uniform");
    const trials = 2_000;
    let reached = 0;
    for (let trial = 0; trial < trials; trial++) {
      const points = Array.from({ length: 8 }, () => random.below(1_000_000));
      const table: DistanceTable = {
        base: 4,
        runs: 8,
        distances: Float64Array.from(points.flatMap((x) => points.map((y) => Math.abs(x - y)))),
      };
      // 70 relabelings in 35 pairs of equal statistic: p takes the values 1/35 … 35/35, each equally often.
      if (permutationTest([table], random).p <= 7 / 35 + 1e-9) reached++;
    }
    expect(Math.abs(reached / trials - 0.2)).toBeLessThan(bound(0.2, trials) - 0.2);
  });
});
