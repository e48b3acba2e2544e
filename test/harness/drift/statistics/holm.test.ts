import { describe, expect, it } from "vitest";
import { holmAdjust, selectTestable } from "../../../../src/harness/drift/statistics/holm.js";

describe("Holm's correction", () => {
  it("agrees with R's p.adjust(c(0.01, 0.02, 0.03, 0.04), 'holm')", () => {
    expect(holmAdjust([0.01, 0.02, 0.03, 0.04]).map((p) => Number(p.toFixed(10)))).toEqual([0.04, 0.06, 0.06, 0.06]);
  });

  it("keeps the order given and never exceeds 1", () => {
    expect(holmAdjust([0.9, 0.001, 0.6])).toEqual([1, 0.003, 1]);
    expect(holmAdjust([])).toEqual([]);
  });
});

describe("the tests that can reject", () => {
  it("are those that reach the level shared by them alone", () => {
    expect(selectTestable([0.001, 0.001, 0.3, 1], 0.05)).toEqual([true, true, false, false]);
    expect(selectTestable([0.04, 0.04, 0.04], 0.05)).toEqual([false, false, false]);
    expect(selectTestable([0.04], 0.05)).toEqual([true]);
    expect(selectTestable([], 0.05)).toEqual([]);
  });

  it("leave out the weakest where that lets the others in", () => {
    // At K = 2 the level is 0.025, which two of the three reach.
    expect(selectTestable([0.02, 0.02, 0.04], 0.05)).toEqual([true, true, false]);
  });
});
