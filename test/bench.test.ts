// The benchmarks' floors do the work they are timed for, and the suite runs from end to end. No figure is asserted.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";

const script = `
  import { bareLoop, guardedLoop, hashedLoop } from "./bench/floor/loop.mjs";
  import { add, assertWork, createModel, GOAL, SYSTEM } from "./bench/workload.mjs";
  import { runPlayhead } from "./bench/turn-loop.mjs";
  import { recordingProvider } from "playhead/cassette";

  for (const [turns, calls] of [[1, 1], [7, 1], [20, 3]]) {
    assertWork(await bareLoop(createModel(turns, calls), add, SYSTEM, GOAL), turns, calls);
    assertWork(await guardedLoop(createModel(turns, calls), add, SYSTEM, GOAL), turns, calls);
    const floor = await hashedLoop(createModel(turns, calls), add, SYSTEM, GOAL);
    assertWork(floor, turns, calls);
    const recorder = recordingProvider(createModel(turns, calls));
    assertWork(await runPlayhead(recorder, turns), turns, calls);
    const ours = recorder.toCassette().entries.map((entry) => entry.promptHash);
    if (JSON.stringify(ours) !== JSON.stringify(floor.entries.map((entry) => entry.promptHash))) {
      throw new Error("the floor hashes something else than the recorder");
    }
  }
  let caught = 0;
  try { assertWork({ finalAnswer: "done", messages: [] }, 3); } catch { caught++; }
  console.log(caught === 1 ? "floors do the work" : "a run without work passed");
`;

test("the floors do the same work as the loop, and an idle run is found out", () => {
  assertBuilt();
  const result = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: repositoryRoot,
    encoding: "utf8",
  });
  expect(result.stderr).toBe("");
  expect(result.stdout.trim()).toBe("floors do the work");
});

test("the quick benchmark prints every table with samples", { timeout: 120_000 }, () => {
  assertBuilt();
  const result = spawnSync(process.execPath, ["bench/run.mjs", "--quick"], { cwd: repositoryRoot, encoding: "utf8" });
  expect(result.stderr).toBe("");
  for (const row of [
    "floor: and every hash",
    "playhead: run and record",
    "playhead: verify and replay",
    "cassette --version",
    "one cassette of",
    "cassette verify",
    "cassette diff, two folders",
    "load one of 1 MiB",
  ]) {
    expect(result.stdout).toContain(row);
  }
});
