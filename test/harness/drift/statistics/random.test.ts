import { expect, it } from "vitest";
import { createRandom } from "../../../../src/harness/drift/statistics/random.js";

it("gives the same numbers for the same seed and label, and others for others", () => {
  const draw = (seed: number, label: string) => {
    const random = createRandom(seed, label);
    return Array.from({ length: 8 }, () => random.below(1_000_000));
  };
  expect(draw(1, "a")).toEqual(draw(1, "a"));
  expect(draw(1, "a")).not.toEqual(draw(2, "a"));
  expect(draw(1, "a")).not.toEqual(draw(1, "b"));
});

it("gives every number equally often, each below the limit", () => {
  const random = createRandom(7, "fair");
  const seen = new Array<number>(10).fill(0);
  for (let draw = 0; draw < 100_000; draw++) {
    const value = random.below(10);
    seen[value] = (seen[value] ?? 0) + 1;
  }
  expect(seen).toHaveLength(10);
  // Chi-square with 9 degrees of freedom: 27.9 is its 99.9 % point.
  expect(seen.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)).toBeLessThan(27.9);
});
