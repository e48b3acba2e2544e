// How recordings become scenarios.

import { expect, it } from "vitest";
import { assertFits, pairScenarios, type RunFile } from "../../../src/harness/drift/scenarios.js";
import { refusal } from "../../support/refusal.js";

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

it("refuses more runs than the memory can hold, and says how much is enough", () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `${Math.floor(index / 2)}.${index % 2}`);
  const { shared } = pairScenarios(runs("old", ...names), runs("new", ...names));
  expect(() => assertFits(shared, 67_000_000)).not.toThrow();
  expect(refusal(() => assertFits(shared, 60_000_000))).toMatchObject({
    code: "too-many-runs",
    message: expect.stringContaining(
      "4000 runs of 1000 scenarios need about 64 MiB of memory, and Node.js may use 57 MiB",
    ) as string,
    hint: "Compare fewer at a time, or give more: NODE_OPTIONS=--max-old-space-size=1024.",
  });
  // A small comparison fits into whatever Node.js started with.
  expect(() => assertFits(shared.slice(0, 300), 1)).not.toThrow();
});
