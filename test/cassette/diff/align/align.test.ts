import { describe, expect, it } from "vitest";
import { align } from "../../../../src/cassette/diff/align/align.js";
import type { Item } from "../../../../src/cassette/diff/align/sets.js";
import { CassetteError } from "../../../../src/cassette/errors.js";

/** "f1 g2+g3" is f(1), then g(2) and g(3) at once: the letter is the name, the whole word the key. */
function words(text: string): Item[][] {
  return text
    .split(" ")
    .filter((set) => set !== "")
    .map((set, turn) => set.split("+").map((key) => ({ turn, key, name: key.slice(0, 1) })));
}

function script(a: string, b: string): string[] {
  const text = (side: string, index: number): string => side.split(" ")[index] ?? "";
  return align(words(a), words(b)).steps.map((step) => {
    switch (step.kind) {
      case "pair":
        return text(a, step.old) === text(b, step.new)
          ? `keep ${text(a, step.old)}`
          : `change ${text(a, step.old)} ${text(b, step.new)}`;
      case "remove":
        return `remove ${text(a, step.old)}`;
      case "add":
        return `add ${text(b, step.new)}`;
    }
  });
}

describe("align", () => {
  it("keeps everything in equal sequences", () => {
    expect(align(words("f1 g1 f1"), words("f1 g1 f1"))).toMatchObject({
      cost: 0,
      steps: [0, 1, 2].map((index) => ({ kind: "pair", old: index, new: index })),
    });
  });

  it("adds everything to an empty sequence and removes everything for one", () => {
    expect(script("", "f1 f2")).toEqual(["add f1", "add f2"]);
    expect(script("f1 f2", "")).toEqual(["remove f1", "remove f2"]);
    expect(script("", "")).toEqual([]);
  });

  it("prefers one change to a removal and an addition", () => {
    expect(script("f1 g1 h1", "f1 g2 h1")).toEqual(["keep f1", "change g1 g2", "keep h1"]);
    expect(align(words("f1 g1 h1"), words("f1 g2 h1")).cost).toBe(1);
  });

  it("never pairs different names", () => {
    expect(script("f1", "g1")).toEqual(["remove f1", "add g1"]);
    expect(align(words("f1 h1"), words("g1 h2")).cost).toBe(3);
  });

  it("keeps what is equal when changing it would cost the same", () => {
    expect(script("f1 f2", "f2 f3")).toEqual(["remove f1", "keep f2", "add f3"]);
  });

  it("finds an insertion, a change and a removal at once", () => {
    expect(script("a1 b1 c1 d1 e1", "a1 x1 b1 c2 e1")).toEqual([
      "keep a1",
      "add x1",
      "keep b1",
      "change c1 c2",
      "remove d1",
      "keep e1",
    ]);
  });

  it("pairs sets by what they have in common, and counts single items", () => {
    expect(script("f1+g1 h1", "g1+f1 h1")).toEqual(["change f1+g1 g1+f1", "keep h1"]);
    expect(align(words("f1+g1 h1"), words("g1+f1 h1")).cost).toBe(0);
    expect(align(words("f1+f2+g1"), words("f1+f3+h1")).cost).toBe(3);
    expect(align(words("f1+g1"), words("f1 g1")).cost).toBe(2);
  });

  it("keeps what is equal at the ends", () => {
    expect(script("f1", "f1 f1 f1")).toEqual(["keep f1", "add f1", "add f1"]);
    expect(script("f1 f1 f1", "f1")).toEqual(["keep f1", "remove f1", "remove f1"]);
  });

  it("lets additions be free", () => {
    const free = (a: string, b: string) => align(words(a), words(b), { freeAdditions: true }).cost;
    expect(free("f1 g1", "h1 f1 h2 g1+f2 h3")).toBe(0);
    expect(free("h1 f1 g1", "f1 g1 g2")).toBe(1);
  });

  it("takes alike items for equal, as many as can be", () => {
    const isAlike = (x: Item, y: Item) => Math.abs(Number(x.key.slice(1)) - Number(y.key.slice(1))) <= 1;
    expect(align(words("f2+f1"), words("f1+f0"), { isAlike }).cost).toBe(0);
    expect(align(words("f1 g1"), words("f2 g5"), { isAlike }).cost).toBe(1);
  });

  it("does not confuse a key of one side with the name of another", () => {
    expect(align([[{ turn: 0, key: "f", name: "n" }]], [[{ turn: 0, key: "n", name: "f" }]]).cost).toBe(2);
  });

  const many = (prefix: string, count: number): Item[][] =>
    Array.from({ length: count }, (_, index) => [{ turn: index, key: `${prefix}${index}`, name: prefix }]);

  it("refuses a comparison of more pairs than the limit, saying how large it is", () => {
    const attempt = (): unknown => align(many("f", 20_001), many("g", 20_000));
    expect(attempt).toThrow(CassetteError);
    expect(attempt).toThrow(expect.objectContaining({ code: "diff-too-large" }));
    expect(attempt).toThrow(/20001 against 20000/);
  });

  it("looks at a number of pairs that grows with the length and the number of differences, not with the square", () => {
    const long = many("f", 10_000);
    const few = [100, 5_000, 9_900].reduce((sets, index) => sets.toSpliced(index, 1), long);
    const { cost, cells } = align(long, few);
    expect(cost).toBe(3);
    expect(cells).toBeLessThan(10_000 * 30);
    expect(align(long, long).cells).toBeLessThan(10);
  });

  it("compares runs longer than the limit allows in full, where few differences lie far apart", () => {
    const long = many("f", 50_000);
    expect(align(long, long.toSpliced(1, 1).toSpliced(40_000, 1)).cost).toBe(2);
  });
});
