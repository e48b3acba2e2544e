// How recordings become scenarios.

import { expect, it } from "vitest";
import { pairScenarios, type RunFile } from "../../../src/harness/drift/scenarios.js";

const runs = (side: string, ...names: string[]): RunFile[] =>
  names.map((name) => ({ name: `${name}.cassette.json`, file: `${side}/${name}.cassette.json` }));

it("counts a numbered run once, as failed, and a failed test next to an older cassette as a run of its own", () => {
  const paired = pairScenarios(
    runs("old", "a.1", "a.1.failed", "a.2", "b", "b.failed"),
    runs("new", "a.1.failed", "b.1", "b.2.failed"),
  );
  expect(paired.shared.map(({ base }) => base.map(({ name }) => name.replace(".cassette.json", "")))).toEqual([
    ["a.1.failed", "a.2"],
    ["b", "b.failed"],
  ]);
  expect(paired.shared.map(({ candidate }) => candidate.length)).toEqual([1, 2]);
});

it("refuses more runs than the memory can hold, before it loads any", () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `${Math.floor(index / 2)}.${index % 2}`);
  const sides = [runs("old", ...names), runs("new", ...names)] as const;
  // 1,000 scenarios and 4,000 runs.
  expect(pairScenarios(...sides, 65_000_000).shared).toHaveLength(1_000);
  const tooMany = "4000 runs of 1000 scenarios need about 61 MiB of memory, and Node.js may use 57 MiB of memory";
  expect(() => pairScenarios(...sides, 60_000_000)).toThrow(tooMany);
});
