import { describe, expect, it } from "vitest";
import { isPaired, stratifiedTest } from "../../../../src/harness/drift/statistics/stratified.js";
import { fisherTest } from "../../../../src/harness/drift/statistics/fisher.js";

const stratum = (base: [number, number], candidate: [number, number]) => ({
  base: { successes: base[0], runs: base[1] },
  candidate: { successes: candidate[0], runs: candidate[1] },
});

describe("the stratified exact test", () => {
  it("is McNemar's for one run on each side: 8 of 10 discordant scenarios are worse", () => {
    const strata = [
      ...Array.from({ length: 8 }, () => stratum([1, 1], [0, 1])),
      ...Array.from({ length: 2 }, () => stratum([0, 1], [1, 1])),
      ...Array.from({ length: 30 }, () => stratum([1, 1], [1, 1])),
    ];
    // P(Bin(10, 1/2) <= 2) = (1 + 10 + 45) / 1024
    expect(stratifiedTest(strata).p).toBeCloseTo(56 / 1024, 12);
    expect(stratifiedTest(strata).attainable).toBeCloseTo(1 / 1024, 12);
    expect(isPaired(strata)).toBe(true);
  });

  it("is Fisher's for one scenario", () => {
    const only = stratum([7, 9], [3, 10]);
    expect(stratifiedTest([only]).p).toBeCloseTo(fisherTest(only.base, only.candidate, 1).p, 12);
    expect(isPaired([only])).toBe(false);
  });

  it("equals the sum over all tables of two scenarios", () => {
    const strata = [stratum([2, 3], [1, 2]), stratum([3, 4], [1, 3])];
    expect(stratifiedTest(strata).p).toBeCloseTo(byAllRelabelings(strata), 12);
  });

  it("takes 20,000 scenarios without losing a small p", () => {
    const strata = Array.from({ length: 20_000 }, (_, index) => stratum([1, 1], [index % 2, 1]));
    expect(stratifiedTest(strata).p).toBe(1e-30);
  });
});

/** Deals the outcomes of every scenario to its runs in every way. */
function byAllRelabelings(strata: readonly ReturnType<typeof stratum>[]): number {
  let sums = [0];
  let observed = 0;
  for (const { base, candidate } of strata) {
    const runs = base.runs + candidate.runs;
    const successes = base.successes + candidate.successes;
    observed += candidate.successes;
    const ways: number[] = [];
    for (let mask = 0; mask < 2 ** runs; mask++) {
      const picked = [...Array(runs).keys()].filter((run) => (mask >> run) % 2 === 1);
      if (picked.length === candidate.runs) ways.push(picked.filter((run) => run < successes).length);
    }
    sums = sums.flatMap((sum) => ways.map((way) => sum + way));
  }
  return sums.filter((sum) => sum <= observed).length / sums.length;
}
