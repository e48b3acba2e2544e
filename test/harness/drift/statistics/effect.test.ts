import { describe, expect, it } from "vitest";
import { distanceExcess, meanExcess, rateDifference } from "../../../../src/harness/drift/statistics/effect.js";
import { normalQuantile } from "../../../../src/harness/drift/statistics/normal.js";

describe("the quantiles of the normal distribution", () => {
  it("are those of the tables", () => {
    expect(normalQuantile(0.975)).toBeCloseTo(1.959964, 5);
    expect(normalQuantile(0.995)).toBeCloseTo(2.575829, 5);
    expect(normalQuantile(0.5)).toBe(0);
    expect(normalQuantile(0.001)).toBeCloseTo(-3.090232, 5);
    expect(normalQuantile(1e-12)).toBeCloseTo(-7.034484, 4);
  });
});

describe("the difference of success rates", () => {
  it("agrees with Newcombe 1998 (independent proportions), method 10, for 56/70 less 48/80", () => {
    const { value, low, high } = rateDifference(
      [{ base: { successes: 48, runs: 80 }, candidate: { successes: 56, runs: 70 } }],
      0.95,
    );
    expect(value).toBeCloseTo(0.2, 12);
    expect([low.toFixed(4), high.toFixed(4)]).toEqual(["0.0524", "0.3339"]);
  });

  it("agrees with the same table for 10/10 less 0/10", () => {
    const { low, high } = rateDifference(
      [{ base: { successes: 0, runs: 10 }, candidate: { successes: 10, runs: 10 } }],
      0.95,
    );
    expect([low.toFixed(4), high]).toEqual(["0.6075", 1]);
  });

  it("of many equal scenarios is that of all their runs together", () => {
    const one = { base: { successes: 3, runs: 4 }, candidate: { successes: 1, runs: 2 } };
    const many = rateDifference([one, one, one], 0.95);
    const whole = rateDifference([{ base: { successes: 9, runs: 12 }, candidate: { successes: 3, runs: 6 } }], 0.95);
    expect(many.low).toBeCloseTo(whole.low, 12);
    expect(many.high).toBeCloseTo(whole.high, 12);
  });
});

describe("the excess of the distance", () => {
  const table = (base: readonly number[], candidate: readonly number[]) => {
    const all = [...base, ...candidate];
    return {
      base: base.length,
      runs: all.length,
      distances: Float64Array.from(all.flatMap((x) => all.map((y) => Math.abs(x - y)))),
    };
  };

  it("is the mean distance between the sides less that within them", () => {
    const { withinBase, withinCandidate, between, value } = distanceExcess(table([0, 0.2], [1, 0.6]));
    expect([withinBase, withinCandidate]).toEqual([expect.closeTo(0.2), expect.closeTo(0.4)]);
    expect(between).toBeCloseTo((1 + 0.6 + 0.8 + 0.4) / 4, 12);
    expect(value).toBeCloseTo(0.7 - 0.3, 12);
  });

  it("of one run on each side is their distance, with an interval that says how little that is", () => {
    const excess = distanceExcess(table([0], [0.5]));
    expect(excess).not.toHaveProperty("withinBase");
    const { value, low, high } = meanExcess([excess], 0.95);
    expect(value).toBe(0.5);
    expect(high - low).toBeGreaterThan(1);
  });

  it("of few runs that are alike has an interval with width, which more runs make smaller", () => {
    const width = (runs: number): number => {
      const zeros = Array<number>(runs).fill(0);
      const { low, high } = meanExcess(
        [
          distanceExcess(
            table(
              zeros,
              zeros.map(() => 0.5),
            ),
          ),
        ],
        0.95,
      );
      return high - low;
    };
    expect(width(3)).toBeGreaterThan(width(30));
    expect(width(30)).toBeGreaterThan(0);
  });
});
