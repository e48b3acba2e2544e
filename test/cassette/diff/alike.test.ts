import { describe, expect, it } from "vitest";
import { MAX_LOOKS, pairAlike } from "../../../src/cassette/diff/alike.js";
import type { Item, Match } from "../../../src/cassette/diff/match.js";

const item = (key: string, turn = 0): Item => ({ key, name: "f", turn });
const changed = (old: Item, now: Item): Match<Item> => ({ kind: "changed", old, new: now });
const keysOf = (matches: readonly Match<Item>[]): string[] =>
  matches.map((match) => ("old" in match && "new" in match ? `${match.old.key} ${match.new.key}` : match.kind));

/** Pairs that would all be better off with their neighbour's partner. */
function crossed(count: number): Match<Item>[] {
  return Array.from({ length: count }, (_, n) => changed(item(`${n}-old`), item(`${n % 2 === 0 ? n + 1 : n - 1}-new`)));
}

describe("pairAlike", () => {
  it("pairs changed calls of one turn with those they are most like", () => {
    expect(keysOf(pairAlike([changed(item("aaa1"), item("bbb2")), changed(item("bbb1"), item("aaa2"))]))).toEqual([
      "aaa1 aaa2",
      "bbb1 bbb2",
    ]);
  });

  it("leaves the script's pairing where there are too many pairs to look at", () => {
    const few = crossed(20);
    expect(keysOf(pairAlike(few))[0]).toBe("0-old 0-new");
    const many = crossed(Math.ceil(Math.sqrt(2 * MAX_LOOKS)) + 1);
    expect(pairAlike(many)).toEqual(many);
    const more = crossed(20_000);
    expect(pairAlike(more)).toEqual(more);
  });

  it("looks at the ends of long keys alone", () => {
    const long = "z".repeat(1_000_000);
    const matches = Array.from({ length: 60 }, (_, n) => changed(item(`${n}a${long}`), item(`${n}b${long}`)));
    expect(keysOf(pairAlike(matches))).toHaveLength(60);
    const far = (middle: string): string => `${"x".repeat(1_000)}${middle}${"y".repeat(1_000)}`;
    const undecided = [changed(item(far("a1")), item(far("b2"))), changed(item(far("b1")), item(far("a2")))];
    expect(pairAlike(undecided)).toEqual(undecided);
  });
});
