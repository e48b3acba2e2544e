import { describe, expect, it } from "vitest";
import { permutationTest, type DistanceTable } from "../../../../src/harness/drift/statistics/permutation.js";
import { createRandom } from "../../../../src/harness/drift/statistics/random.js";
import { combinations } from "../../../../src/harness/drift/statistics/relabeling.js";
import { MAX_EXHAUSTIVE_RELABELINGS } from "../../../../src/harness/limits.js";

/** Runs as points on a line. */
function table(base: readonly number[], candidate: readonly number[]): DistanceTable {
  const all = [...base, ...candidate];
  const distances = Float64Array.from(all.flatMap((x) => all.map((y) => Math.abs(x - y))));
  return { base: base.length, runs: all.length, distances };
}

const random = () => createRandom(1, "test");

describe("the permutation test on distances", () => {
  it("looks at all relabelings where they are few: two sides apart give 2 of 70", () => {
    const result = permutationTest([table([0, 0, 0, 0], [1, 1, 1, 1])], random());
    expect(result).toEqual({ p: 2 / 70, attainable: 2 / 70, exact: true });
  });

  it("gives 1 of C(n, k) where the sides are of different size", () => {
    expect(permutationTest([table([0, 0], [1, 1, 1])], random()).p).toBeCloseTo(1 / 10, 12);
  });

  it("cannot decide with one run on each side, or where all runs are equally far from each other", () => {
    expect(permutationTest([table([0], [1])], random())).toEqual({ p: 1, attainable: 1, exact: true });
    const far = { base: 2, runs: 4, distances: Float64Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? 0 : 1)) };
    expect(permutationTest([far], random()).p).toBe(1);
  });

  it("sums over scenarios: both at their largest have the chance of both", () => {
    const one = table([0, 0], [1, 1]);
    expect(permutationTest([one, one], random())).toEqual({ p: 1 / 9, attainable: 1 / 9, exact: true });
  });

  it("draws where there are too many, never gives 0, and repeats itself", () => {
    const sides = table(
      [...Array(12).keys()].map(Number),
      [...Array(12).keys()].map((x) => x + 100),
    );
    expect(combinations(24, 12)).toBeGreaterThan(MAX_EXHAUSTIVE_RELABELINGS);
    const first = permutationTest([sides], random());
    expect(first).toEqual({ p: 1 / 10_000, attainable: 1 / 10_000, exact: false, draws: 9_999 });
    expect(permutationTest([sides], random())).toEqual(first);
  });

  it("counts ties of the largest statistic where it draws", () => {
    const [many, one] = [Array<number>(9).fill(0), [...Array<number>(8).fill(0), 1]];
    expect(combinations(18, 9)).toBeGreaterThan(MAX_EXHAUSTIVE_RELABELINGS);
    expect(permutationTest([table(many, one)], random())).toMatchObject({ p: 1, attainable: 1, exact: false });
    expect(permutationTest([table(one, many), table(many, one)], random())).toMatchObject({ p: 1, attainable: 1 });
  });

  it("comes near the exhaustive p-value by drawing", () => {
    const base = [0.1, 0.4, 0.2, 0.9, 0.5, 0.6];
    const candidate = [0.3, 0.8, 0.95, 0.7, 1.2, 0.55];
    const exact = permutationTest([table(base, candidate)], random());
    // Three further scenarios in which nothing differs leave the sum as it is, but make the relabelings too many.
    const still = table([0, 0.001, 0, 0, 0.001, 0, 0], [0, 0, 0.001, 0, 0, 0, 0.001]);
    const drawn = permutationTest([table(base, candidate), still, still, still], random());
    expect(exact.exact).toBe(true);
    expect(drawn.exact).toBe(false);
    expect(Math.abs(drawn.p - exact.p)).toBeLessThan(0.03);
  });

  it("does not depend on which side is the baseline", () => {
    const [a, b] = [
      [0.1, 0.4, 0.2],
      [0.3, 0.8, 0.95, 0.7],
    ] as const;
    expect(permutationTest([table(a, b)], random()).p).toBe(permutationTest([table(b, a)], random()).p);
  });
});
