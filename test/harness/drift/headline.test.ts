import { describe, expect, it } from "vitest";
import { judge, scenario, times } from "./runs.js";

const good = (name: string) => scenario(name, times(6, "find"), times(6, "find"));

describe("the headline of the gate", () => {
  it("names the scenario, the metric and both figures of a regression in plain words", () => {
    const { headline, reason } = judge([good("a"), scenario("refund", times(6, "find"), times(6, "find!")), good("c")]);
    expect(headline).toEqual({
      sentence: "refund got worse: it succeeded in 6 of 6 runs before, and succeeds in 0 of 6 now.",
      kind: "scenario",
      metric: "success",
      scenario: "refund",
      base: "6 of 6",
      candidate: "0 of 6",
    });
    expect(reason).toMatch(/^1 of 3 scenarios got worse \(refund\): .*0 of 6 against 6 of 6 \(p = /);
  });

  it("says in how many runs a scenario takes a new path", () => {
    const { headline } = judge([good("a"), scenario("refund", times(8, "find"), times(8, "open"))]);
    expect(headline.sentence).toBe(
      "refund does something else: in 8 of 8 runs it takes a path that it never took before.",
    );
    expect([headline.metric, headline.candidate]).toEqual(["paths", "8 of 8"]);
  });

  it("names the scenario that lost most if only all scenarios together decide", () => {
    const pair = (name: string, lost: number) =>
      scenario(name, times(3, "find"), [...times(lost, "find!"), ...times(3 - lost, "find")]);
    const { headline, verdict } = judge(["a", "b", "c", "d", "e", "f"].map((name) => pair(name, name === "d" ? 3 : 2)));
    expect(verdict).toBe("regression");
    expect(headline).toMatchObject({ kind: "pooled-outcome", scenario: "d", base: "18 of 18", candidate: "5 of 18" });
    expect(headline.sentence).toMatch(/^Over all scenarios the candidate got worse: .* The largest change is in d\.$/);
  });

  it("says how many runs would decide, and that nothing changed", () => {
    const open = judge([scenario("refund", times(2, "find"), ["find", "open!"])]);
    expect(open.headline.sentence).toMatch(
      /^It is undecided whether refund changed: it succeeded in 2 of 2 runs before, and succeeds in 1 of 2 now, but there are too few runs\. About \d+ runs on each side would decide it\.$/,
    );
    expect(judge([good("a"), good("b")]).headline).toMatchObject({
      sentence: "Nothing changed beyond chance: it succeeded in 12 of 12 runs before, and succeeds in 12 of 12 now.",
      kind: "verdict",
    });
  });
});
