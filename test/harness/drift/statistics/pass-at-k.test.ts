import { describe, expect, it } from "vitest";
import { passAt, passHat } from "../../../../src/harness/drift/statistics/pass-at-k.js";

describe("pass@k and pass^k", () => {
  it("are the shares of all choices of k runs that hold a success, or nothing else", () => {
    for (const [successes, runs] of [
      [0, 3],
      [2, 5],
      [3, 5],
      [4, 4],
    ] as const) {
      for (let k = 1; k <= runs; k++) {
        const picks = choices(runs, k).map((pick) => pick.filter((run) => run < successes).length);
        expect(passAt({ runs, successes })[k - 1]).toBeCloseTo(picks.filter((n) => n > 0).length / picks.length, 12);
        expect(passHat({ runs, successes })[k - 1]).toBeCloseTo(picks.filter((n) => n === k).length / picks.length, 12);
      }
    }
  });

  it("are nothing for no runs", () => {
    expect(passAt({ runs: 0, successes: 0 })).toEqual([]);
  });
});

function choices(runs: number, k: number): number[][] {
  return [...Array(2 ** runs).keys()]
    .map((mask) => [...Array(runs).keys()].filter((run) => (mask >> run) % 2 === 1))
    .filter((pick) => pick.length === k);
}
