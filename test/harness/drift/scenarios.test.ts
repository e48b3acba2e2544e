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
