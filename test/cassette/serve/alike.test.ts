import { describe, expect, it } from "vitest";
import { isNearer, type Likeness } from "../../../src/cassette/serve/alike.js";

const near = (given: Partial<Omit<Likeness, "likeness">> & { likeness?: number }): Likeness => {
  const { likeness = 0, ...rest } = given;
  return { length: 0, isUsed: false, isContinued: false, ...rest, likeness: () => likeness };
};

describe("isNearer", () => {
  it("passes over a used turn, unless the run went on from it", () => {
    const used = near({ length: 3, isUsed: true, likeness: 1 });
    expect(isNearer(near({}), used)).toBe(true);
    expect(isNearer(used, near({}))).toBe(false);
    expect(isNearer(near({ length: 3, isUsed: true, isContinued: true }), near({ length: 2 }))).toBe(true);
    expect(isNearer(near({ length: 3, isUsed: true, isContinued: true }), near({ length: 3 }))).toBe(false);
  });

  it("goes by the common beginning, then by the likeness of what differs", () => {
    expect(isNearer(near({ length: 2 }), near({ length: 1, likeness: 1 }))).toBe(true);
    expect(isNearer(near({ likeness: 0.6 }), near({ likeness: 0.5 }))).toBe(true);
    expect(isNearer(near({ likeness: 0.5 }), near({ likeness: 0.5 }))).toBe(false);
  });
});
