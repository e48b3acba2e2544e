import { describe, expect, it } from "vitest";
import { createRandom, type Random } from "../../../src/harness/drift/statistics/random.js";
import { shiftOf, typicalPauses, verdictOf, type PairedRuns } from "../../../src/harness/bench/noise.js";

const THRESHOLD = 20;

/** Runs of 20 pauses on a busy machine: processes differ, pauses vary, and the system interrupts one in seven. */
function runOf(random: Random, slower: number): number[] {
  const unit = () => random.below(1_000_000) / 1_000_000;
  const bell = () => unit() + unit() + unit() + unit() - 2;
  const process = 40 * bell();
  return Array.from({ length: 20 }, () => 800 + slower + process + 100 * bell() + (unit() < 1 / 7 ? 4000 * unit() : 0));
}

function verdicts(slower: number): string[] {
  const random = createRandom(1, `noise ${slower}`);
  return Array.from({ length: 100 }, () => {
    const pairs = Array.from({ length: 20 }, (): PairedRuns => {
      return { reference: runOf(random, 0), candidate: runOf(random, slower) };
    });
    return verdictOf(shiftOf(pairs), THRESHOLD);
  });
}

describe("the verdict of a benchmark", () => {
  it("is the same for equal runs, and slower for 100 µs, however often the system interrupts", () => {
    expect(new Set(verdicts(0))).toEqual(new Set(["same"]));
    expect(verdicts(100).filter((verdict) => verdict === "slower").length).toBeGreaterThanOrEqual(99);
    expect(verdicts(-100).filter((verdict) => verdict === "faster").length).toBeGreaterThanOrEqual(99);
  });

  it("counts a slowdown of one turn by its share of all turns", () => {
    const steady = (last: number) => [100, 100, 100, last];
    const pairs = Array.from({ length: 8 }, () => ({ reference: steady(100), candidate: steady(500) }));
    expect(shiftOf(pairs)).toEqual({ difference: 100, noise: 0 });
  });

  it("compares only pauses that all runs have", () => {
    const pairs = Array.from({ length: 8 }, (_, at) => ({ reference: [1, 2], candidate: at === 3 ? [1] : [1, 9] }));
    expect(shiftOf(pairs)).toEqual({ difference: 0, noise: 0 });
  });

  it("needs more than the noise and the threshold together", () => {
    expect(verdictOf({ difference: 30, noise: 10 }, 20)).toBe("same");
    expect(verdictOf({ difference: 30.1, noise: 10 }, 20)).toBe("slower");
    expect(verdictOf({ difference: -30.1, noise: 10 }, 20)).toBe("faster");
  });
});

it("a typical pause ignores an interrupted one", () => {
  expect(
    typicalPauses([
      [10, 20],
      [12, 9000],
      [11, 22],
    ]),
  ).toEqual([11, 22]);
});
