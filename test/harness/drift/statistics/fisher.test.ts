import { describe, expect, it } from "vitest";
import { fisherTest, successDistribution } from "../../../../src/harness/drift/statistics/fisher.js";

const counts = (successes: number, runs: number) => ({ successes, runs });

describe("Fisher's exact test", () => {
  it("gives 17/70 and 34/70 for the lady who tastes tea and is right on 3 of 4 cups of each kind", () => {
    expect(fisherTest(counts(3, 4), counts(1, 4), 1).p).toBeCloseTo(17 / 70, 12);
    expect(fisherTest(counts(3, 4), counts(1, 4), 2).p).toBeCloseTo(34 / 70, 12);
    expect(fisherTest(counts(4, 4), counts(0, 4), 2).p).toBeCloseTo(2 / 70, 12);
  });

  it("agrees with R's help page on Convictions of like-sex twins of criminals (2, 10 against 15, 3)", () => {
    expect(fisherTest(counts(15, 18), counts(2, 12), 1).p).toBeCloseTo(0.0004652, 6);
    expect(fisherTest(counts(15, 18), counts(2, 12), 2).p).toBeCloseTo(0.0005367, 6);
  });

  it("gives the smallest p that these margins allow", () => {
    expect(fisherTest(counts(2, 4), counts(2, 4), 1).attainable).toBeCloseTo(1 / 70, 12);
    expect(fisherTest(counts(2, 4), counts(2, 4), 2).attainable).toBeCloseTo(2 / 70, 12);
    expect(fisherTest(counts(4, 4), counts(4, 4), 1)).toEqual({ p: 1, attainable: 1 });
    expect(fisherTest(counts(1, 1), counts(0, 1), 1).attainable).toBeCloseTo(0.5, 12);
  });

  it("stays a probability with 10,000 runs on each side", () => {
    const { weights } = successDistribution(counts(5_000, 10_000), counts(5_000, 10_000));
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    // The middle of the distribution by the normal approximation: 1 / sqrt(2 pi variance), variance = 1250.06.
    expect(weights[5_000]).toBeCloseTo(1 / Math.sqrt(2 * Math.PI * 1250.0625), 6);
    expect(fisherTest(counts(10_000, 10_000), counts(0, 10_000), 2).p).toBeGreaterThan(0);
  });
});
