// The rate of false alarms, counted and not sampled: a few runs of two or three scenarios are dealt to the sides in every way
// there is, so that each rate is exact and has to be at alpha or below, with no allowance for chance.

import { describe, expect, it } from "vitest";
import type { TracedRun } from "../../../src/harness/drift/paths/path-table.js";
import { judge, run } from "./runs.js";

const ALPHAS = [0.01, 0.05, 0.1, 0.2, 0.4];

/** Every way to choose `size` of the runs. */
function choices(runs: number, size: number, from = 0): number[][] {
  if (size === 0) return [[]];
  const rest = Array.from({ length: runs - from }, (_, index) => from + index);
  return rest.flatMap((first) => choices(runs, size - 1, first + 1).map((more) => [first, ...more]));
}

function product<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>((all, list) => all.flatMap((start) => list.map((item) => [...start, item])), [[]]);
}

/** How many of all splits alarm at each alpha. `base` is the number of runs on the first side. */
function alarmsOf(scenarios: readonly (readonly string[])[], base: number) {
  const sets = scenarios.map((texts, index) => texts.map((text, trial) => run(text, `s${index}.${trial}`)));
  const splits = product(sets.map((runs) => choices(runs.length, base)));
  const alarms = ALPHAS.map((alpha) => {
    return splits.filter((split) => {
      const dealt = sets.map((runs, index) => deal(runs, split[index] ?? [], `s${index}`));
      return ["drift", "regression"].includes(judge(dealt, { alpha }).verdict);
    }).length;
  });
  return { splits: splits.length, alarms };
}

function deal(runs: readonly TracedRun[], base: readonly number[], scenario: string) {
  return {
    scenario,
    base: runs.filter((_, index) => base.includes(index)),
    candidate: runs.filter((_, index) => !base.includes(index)),
  };
}

describe("over all ways to deal the same runs to two sides", () => {
  it.each([
    [
      "two scenarios",
      [
        ["find", "find", "open!", "open!", "find, open"],
        ["read", "read!", "read!", "list, read", "list!"],
      ],
      3,
    ],
    [
      "three scenarios of four runs",
      [
        ["find", "find!", "open!", "find, open"],
        ["read", "read", "list!", "list!"],
        ["send!", "send", "send, ask", "ask!"],
      ],
      2,
    ],
    [
      "sides of different size, many ties",
      [
        ["find", "find", "find", "open!", "open!"],
        ["read!", "read", "read", "read", "list!"],
      ],
      2,
    ],
    ["one scenario", [["find", "find", "find!", "open!", "open!", "open!", "find", "open"]], 4],
  ] as const)("the gate alarms no more often than alpha: %s", (_, scenarios, base) => {
    const { splits, alarms } = alarmsOf(scenarios, base);
    expect(alarms.map((count, index) => count <= (ALPHAS[index] ?? 0) * splits)).toEqual(ALPHAS.map(() => true));
    // It can alarm, or the rates would say nothing.
    expect(Math.max(...alarms)).toBeGreaterThan(0);
  });
});
