// The reference of what the package exports: that there is something to say of each export, and that docs/api says it.

import { describe, expect, it } from "vitest";
import { readDoors } from "./support/doors.js";

const doors = readDoors();

describe("the exports", () => {
  it("are found behind every door", () => {
    expect(doors.map(({ name }) => name)).toEqual(expect.arrayContaining(["playhead", "playhead/harness"]));
    expect(doors.filter(({ exports }) => exports.length === 0)).toEqual([]);
  });

  it.each(doors)("of $name have a docstring each", ({ exports }) => {
    const silent = exports.filter(({ documentation }) => documentation === "");
    expect(silent.map(({ file, name }) => `${file} ${name}`)).toEqual([]);
  });
});
