// The orders of `cassette drift`, as `cassette diff` takes them: one-way orders from the baseline to the candidate.

import { describe, expect, it } from "vitest";
import { CALL_ORDERS, type CallOrder } from "../../../src/cassette/diff/order.js";
import { permutationTest } from "../../../src/harness/drift/statistics/permutation.js";
import { createRandom } from "../../../src/harness/drift/statistics/random.js";
import { judge, scenario, times } from "./runs.js";

/** The orders under which eight runs of the one path and eight of the other are the same. */
function sameUnder(base: string, candidate: string): CallOrder[] {
  return CALL_ORDERS.filter((order) => {
    const { verdict } = judge([scenario("a", times(8, base), times(8, candidate), undefined, order)], { order });
    expect(["same", "drift"]).toContain(verdict);
    return verdict === "same";
  });
}

describe("the gate under each order of calls", () => {
  it("allows the candidate to leave calls out under subset alone", () => {
    expect(sameUnder("find, check, pay", "find, pay")).toEqual(["subset"]);
  });

  it("allows the candidate more calls under superset and in_order", () => {
    expect(sameUnder("find, pay", "find, check, pay")).toEqual(["in_order", "superset"]);
  });

  it("allows calls in other turns wherever turns do not count", () => {
    expect(sameUnder("find, pay", "pay, find")).toEqual(["unordered", "any_order", "subset", "superset"]);
  });

  it("allows the calls of one turn to follow one another under in_order, and not the other way round", () => {
    const free = ["unordered", "any_order", "subset", "superset"];
    expect(sameUnder("find+check, pay", "find, check, pay").sort()).toEqual(["in_order", ...free].sort());
    expect(sameUnder("find, check, pay", "find+check, pay")).toEqual(free);
  });

  it("allows other arguments under none", () => {
    expect(sameUnder("pay(Ann)", "pay(Bob)")).toEqual([]);
  });

  it("gives the reason, and a test with one side", () => {
    const { scenarios, reason } = judge(
      [scenario("a", times(8, "find, check, pay"), [...times(7, "find, pay"), "pay"], undefined, "subset")],
      { order: "subset" },
    );
    expect(reason).toBe("the order allows every difference");
    expect(scenarios[0]?.distance).toMatchObject({ between: 0, test: { sides: 1 } });
  });

  it("finds under subset what the candidate adds, however the baseline varies", () => {
    const base = [...times(4, "find, check, pay"), ...times(4, "find, pay")];
    const more = [...times(4, "find, check, pay, tell"), ...times(4, "find, pay, tell")];
    const order = "subset";
    expect(judge([scenario("a", base, more, undefined, order)], { order }).verdict).toBe("drift");
    expect(judge([scenario("a", more, base, undefined, order)], { order }).verdict).toBe("same");
  });
});

it("counts distances that are not alike both ways from the baseline to the candidate alone", () => {
  // Runs 0 and 1 against 2 and 3: only from the first two to the others is there any distance.
  const distances = Float64Array.from({ length: 16 }, (_, place) => (place < 8 && place % 4 >= 2 ? 1 : 0));
  const there = permutationTest([{ base: 2, runs: 4, distances }], createRandom(1, ""));
  const back = permutationTest([{ base: 2, runs: 4, distances: distances.slice().reverse() }], createRandom(1, ""));
  expect(there).toEqual({ p: 1 / 6, attainable: 1 / 6, exact: true });
  expect(back).toEqual({ p: 1, attainable: 1 / 6, exact: true });
});
