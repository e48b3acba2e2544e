import { describe, expect, it } from "vitest";
import { drawsFor, meanDifference } from "../../../../src/harness/drift/statistics/bootstrap.js";
import { meanDifferenceTest, type Amounts } from "../../../../src/harness/drift/statistics/mean-difference.js";
import { createRandom } from "../../../../src/harness/drift/statistics/random.js";

const random = () => createRandom(1, "test");
const amounts = (base: readonly number[], candidate: readonly number[]): Amounts => ({ base, candidate });

describe("the permutation test on a difference of means", () => {
  it("counts all relabelings: the highest four of eight are 1 of 70, whatever the unit", () => {
    const expected = { p: 1 / 70, attainable: 1 / 70, exact: true };
    expect(meanDifferenceTest([amounts([1, 2, 3, 4], [5, 6, 7, 8])], random())).toEqual(expected);
    expect(meanDifferenceTest([amounts([1e-9, 2e-9, 3e-9, 4e-9], [5e-9, 6e-9, 7e-9, 8e-9])], random())).toEqual(
      expected,
    );
  });

  it("is one-sided: less than before is p = 1", () => {
    expect(meanDifferenceTest([amounts([5, 6], [1, 2])], random()).p).toBe(1);
  });

  it("agrees with counting by hand, ties included", () => {
    // Of the six ways to choose two of 1, 2, 2, 3 for the baseline, those with a sum of at most 3 are 1 + 2 and 1 + 2.
    expect(meanDifferenceTest([amounts([1, 2], [2, 3])], random()).p).toBeCloseTo(2 / 6, 12);
  });

  it("gives Fisher's result for Darwin's fifteen pairs of plants", () => {
    // "The Design of Experiments", section 21: 863 of 32,768 ways to sign the differences give a sum of at least 314.
    const pairs = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
    const strata = pairs.map((by) => amounts([100], [100 + by]));
    const drawn = meanDifferenceTest(strata, random());
    expect(drawn).toMatchObject({ exact: false, draws: 9_999 });
    expect(Math.abs(drawn.p - 863 / 32_768)).toBeLessThan(0.006);
  });

  it("cannot decide without a difference, and with one pair only at 1 of 2", () => {
    expect(meanDifferenceTest([amounts([3, 3], [3, 3])], random())).toEqual({ p: 1, attainable: 1, exact: true });
    expect(meanDifferenceTest([amounts([0], [0])], random()).attainable).toBe(1);
    expect(meanDifferenceTest([amounts([1], [2])], random())).toEqual({ p: 0.5, attainable: 0.5, exact: true });
  });

  it("takes a thousand runs a side, and names the smallest p that drawing can give", () => {
    const many = (from: number): number[] => Array.from({ length: 1_000 }, (_, index) => from + index);
    expect(meanDifferenceTest([amounts(many(0), many(2_000))], random())).toEqual({
      p: 1 / 10_000,
      attainable: 1 / 10_000,
      exact: false,
      draws: 9_999,
    });
  });

  it("gives every scenario the same weight, whatever its number of runs", () => {
    const long = amounts([1, 1, 1, 1], [2, 2, 2, 2]);
    const short = amounts([9, 9], [7, 7]);
    const { difference } = meanDifference([long, short], 0.95, random());
    expect(difference.value).toBe(-0.5);
  });
});

describe("the interval of a difference of means", () => {
  const spread = amounts([10, 12, 11, 9, 13, 8], [14, 15, 13, 17, 12, 16]);

  it("is near the textbook's, for the difference and for the share", () => {
    const { means, difference, relative } = meanDifference([spread], 0.95, random());
    expect(means).toEqual({ base: 10.5, candidate: 14.5 });
    expect(difference.value).toBe(4);
    // 1.96 standard errors of two means of six values with the variance 3.5.
    const half = 1.96 * Math.sqrt(3.5 / 6 + 3.5 / 6);
    expect(Math.abs((difference.low ?? 0) - (4 - half))).toBeLessThan(0.4);
    expect(Math.abs((difference.high ?? 0) - (4 + half))).toBeLessThan(0.4);
    expect(relative?.value).toBeCloseTo(4 / 10.5, 12);
    expect(relative?.low).toBeLessThan(4 / 10.5);
    expect(relative?.high).toBeGreaterThan(4 / 10.5);
  });

  it("is absent for single runs of one scenario, and taken over scenarios for single runs of several", () => {
    expect(meanDifference([amounts([1], [2])], 0.95, random())).toEqual({
      means: { base: 1, candidate: 2 },
      difference: { value: 1 },
      relative: { value: 1 },
    });
    const pairs = [3, 5, 4, 6].map((by) => amounts([10], [10 + by]));
    const { difference } = meanDifference(pairs, 0.95, random());
    expect(difference.value).toBe(4.5);
    expect(difference.low).toBeLessThan(4.5);
    expect(difference.high).toBeGreaterThan(4.5);
  });

  it("takes fewer draws for each of many scenarios", () => {
    expect([1, 2_002, 4_000, 100_000].map(drawsFor)).toEqual([999, 999, 500, 99]);
  });

  it("has no share of a baseline of 0, and no width where all runs are alike", () => {
    expect(meanDifference([amounts([0, 0], [2, 2])], 0.95, random())).toEqual({
      means: { base: 0, candidate: 2 },
      difference: { value: 2, low: 2, high: 2 },
    });
  });

  it("covers the truth about as often as it says", () => {
    // Runs of one kind on both sides: the truth is 0.
    const chance = createRandom(7, "coverage");
    const drawn = (): number => chance.below(1_000) + chance.below(1_000);
    const covered = Array.from({ length: 300 }, () => {
      const strata = Array.from({ length: 10 }, () => amounts([drawn(), drawn()], [drawn(), drawn()]));
      const { difference } = meanDifference(strata, 0.9, chance);
      return (difference.low ?? 0) <= 0 && (difference.high ?? 0) >= 0;
    }).filter(Boolean).length;
    expect(covered / 300).toBeGreaterThan(0.84);
    expect(covered / 300).toBeLessThan(0.96);
  });
});
