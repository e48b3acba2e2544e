import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPlainCassetteName, toCassetteName } from "../../../src/cassette/bundle/name.js";
import { text } from "../../support/arbitraries.js";

const HASH = "0123456789abcdef".repeat(4);
const name = (id: string) => toCassetteName(id, HASH);

describe("toCassetteName", () => {
  it.each([
    ["researcher", "researcher"],
    ["a-1", "a-1"],
    ["A", "_41"],
    ["a_b", "a_5fb"],
    ["a/b", "a_2fb"],
    ["..", "_2e_2e"],
    ["é", "_c3_a9"],
    ["-rf", "_2drf"],
    ["con", "_63on"],
    ["com1", "_63om1"],
    ["console", "console"],
  ])("writes %s as %s", (id, escaped) => {
    expect(name(id)).toBe(`${escaped}.0123456789abcdef.cassette.json`);
  });

  it("is another for another envelope", () => {
    expect(toCassetteName("a", "f".repeat(64))).not.toBe(name("a"));
  });

  it("cuts a long id, and keeps two that differ at their ends apart", () => {
    const [a, b] = [name("x".repeat(10_000)), name(`${"x".repeat(9_999)}y`)];
    expect(a).not.toBe(b);
    expect(a.length).toBeLessThan(150);
  });

  it("is plain for any id, and no two ids share one even where case does not count", () => {
    const id = fc.oneof(
      text.filter((each) => each !== ""),
      fc.constantFrom("a", "A", "_61", "__", "con", "_63on", "CON", "-a", "_2da", "a.b"),
    );
    fc.assert(
      fc.property(id, id, (one, other) => {
        expect(isPlainCassetteName(name(one))).toBe(true);
        expect(name(one).toLowerCase()).toBe(name(one));
        if (one !== other) expect(name(one)).not.toBe(name(other));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("isPlainCassetteName", () => {
  it.each(["a.cassette.json", "A_1-b.c.cassette.json", "_.cassette.json"])("passes %s", (plain) => {
    expect(isPlainCassetteName(plain)).toBe(true);
  });

  it.each([
    "",
    "a.json",
    ".cassette.json",
    "..cassette.json",
    "../a.cassette.json",
    "a/b.cassette.json",
    "a\\b.cassette.json",
    "/a.cassette.json",
    "C:a.cassette.json",
    "-a.cassette.json",
    "a b.cassette.json",
    "a\u0000.cassette.json",
    "a\n.cassette.json",
    "é.cassette.json",
    "a~1.cassette.json",
    "nul.cassette.json",
    "COM1.x.cassette.json",
    "a.cassette.json ",
    "a.cassette.json\n",
    `${"a".repeat(190)}.cassette.json`,
  ])("refuses %j", (odd) => {
    expect(isPlainCassetteName(odd)).toBe(false);
  });
});
