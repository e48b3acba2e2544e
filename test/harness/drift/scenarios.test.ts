// How recordings become scenarios, and which of them are those of judges.

import { expect, it } from "vitest";
import { pairScenarios, type RunFile } from "../../../src/harness/drift/scenarios.js";

const runs = (side: string, ...names: string[]): RunFile[] =>
  names.map((name) => ({ name: `${name}.cassette.json`, file: `${side}/${name}.cassette.json` }));

it("leaves the recordings of judges out, on one side or both, of failed tests too", () => {
  const paired = pairScenarios(
    runs("old", "refund.0", "refund.1", "refund.judge.0", "refund.judge.1", "a/ship", "a/ship.judge-tone"),
    runs("new", "refund.0", "refund.failed", "refund.judge.0", "refund.judge.failed", "a/ship"),
  );
  expect(paired.shared.map(({ scenario, base, candidate }) => [scenario, base.length, candidate.length])).toEqual([
    ["a/ship", 1, 1],
    ["refund", 2, 2],
  ]);
  expect(paired.unpaired).toEqual([]);
  expect(paired.judges.map(({ file }) => file)).toEqual([
    "old/a/ship.judge-tone.cassette.json",
    "old/refund.judge.0.cassette.json",
    "old/refund.judge.1.cassette.json",
    "new/refund.judge.0.cassette.json",
    "new/refund.judge.failed.cassette.json",
  ]);
});

it.each(["judge", "a/judge", "refund.judges", "refund.prejudge", "refund.judge.more", "other.judge"])(
  "compares %s, which no recording next to it or no name makes a judge's",
  (name) => {
    const paired = pairScenarios(runs("old", "refund", name), runs("new", "refund", name));
    expect(paired.judges).toEqual([]);
    expect(paired.shared.map(({ scenario }) => scenario).sort()).toEqual([name, "refund"].sort());
  },
);
