import { describe, expect, it } from "vitest";
import { fisherTest } from "../../../../src/harness/drift/statistics/fisher.js";
import { runsNeeded } from "../../../../src/harness/drift/statistics/needed.js";

const contrast = (base: [number, number], candidate: [number, number], sides: 1 | 2) => ({
  base: { successes: base[0], runs: base[1] },
  candidate: { successes: candidate[0], runs: candidate[1] },
  sides,
});

describe("how many runs would decide", () => {
  it("is the first number at which the same rates reach the level", () => {
    expect(runsNeeded([contrast([1, 1], [0, 1], 2)], 0.05)).toBe(4);
    const at = (runs: number) => fisherTest({ successes: runs, runs }, { successes: 0, runs }, 2).p;
    expect(at(4)).toBeLessThanOrEqual(0.05);
    expect(at(3)).toBeGreaterThan(0.05);
  });

  it("is unknown beyond 200, and where the candidate is only better", () => {
    expect(runsNeeded([contrast([50, 100], [49, 100], 2)], 0.05)).toBeUndefined();
    expect(runsNeeded([contrast([0, 1], [1, 1], 1)], 0.05)).toBeUndefined();
  });

  it("is more than there are already", () => {
    expect(runsNeeded([contrast([3, 6], [0, 6], 1)], 0.05)).toBeGreaterThan(6);
  });
});
