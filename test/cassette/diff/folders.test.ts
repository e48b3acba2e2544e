import { describe, expect, it } from "vitest";
import { diffSets, unpairedHint } from "../../../src/cassette/diff/folders.js";
import { call, runOf, stepsOf } from "./runs.js";

const named = (task: string, cassette = stepsOf(call("f"))) => ({ task, cassette });

describe("diffSets", () => {
  it("pairs by name, sorts, and tells what is on one side alone", () => {
    const diff = diffSets([named("c"), named("a"), named("gone")], [named("a"), named("c"), named("fresh")]);
    expect(diff.shared).toEqual([
      { task: "a", drifts: [] },
      { task: "c", drifts: [] },
    ]);
    expect(diff.onlyOld).toEqual(["gone"]);
    expect(diff.onlyNew).toEqual(["fresh"]);
  });

  it("says why names that are UUIDs pair with nothing", () => {
    const [one, other] = ["5f0c9a3e-0b7d-4b8e-9a55-0a1b2c3d4e5f", "0a1b2c3d-4e5f-4b8e-9a55-5f0c9a3e0b7d"];
    expect(unpairedHint([`project/${one}`], [`project/${other}`])).toContain("the same name on both sides");
    expect(unpairedHint([one], ["greeting"])).toBe("");
    expect(unpairedHint([], [])).toBe("");
  });

  it("counts drifts by kind over all pairs", () => {
    const diff = diffSets(
      [named("a", stepsOf(call("f"))), named("b", stepsOf(call("f", { n: 1 })))],
      [named("a", stepsOf(call("f"), call("g"))), named("b", stepsOf(call("f", { n: 2 }), call("g")))],
    );
    expect(diff.totals).toEqual({
      added: 2,
      removed: 0,
      moved: 0,
      "args-changed": 1,
      "content-changed": 0,
      "content-added": 0,
      "content-removed": 0,
      retried: 0,
      parallelised: 0,
      serialised: 0,
      "stop-changed": 0,
    });
  });

  it("passes its options on", () => {
    const runs = [[named("a", runOf([{ say: "x" }]))], [named("a", runOf([{ say: "y" }]))]] as const;
    expect(diffSets(...runs).totals["content-changed"]).toBe(1);
    expect(diffSets(...runs, { ignoreContent: true }).totals["content-changed"]).toBe(0);
  });

  it("refuses names that occur twice on one side, naming them and the side", () => {
    const attempt = (): unknown => diffSets([named("a")], [named("b"), named("a"), named("b"), named("a"), named("c")]);
    expect(attempt).toThrow(expect.objectContaining({ code: "invalid-options" }));
    expect(attempt).toThrow('the new side has more than one cassette named "b", "a"');
  });

  it("compares empty sets to nothing", () => {
    expect(diffSets([], [])).toMatchObject({ shared: [], onlyOld: [], onlyNew: [] });
  });
});
