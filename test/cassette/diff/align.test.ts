import { describe, expect, it } from "vitest";
import { align, type Keyed } from "../../../src/cassette/diff/align.js";
import { CassetteError } from "../../../src/cassette/errors.js";

/** "f1 g2" is f(1), then g(2): the letter is the name, the whole word the key. */
function words(text: string): Keyed[] {
  return text.split(" ").flatMap((key) => (key === "" ? [] : [{ key, name: key.slice(0, 1) }]));
}

function script(a: string, b: string): string[] {
  return align(words(a), words(b)).edits.map((edit) => {
    const old = "old" in edit ? words(a)[edit.old]?.key : undefined;
    const now = "new" in edit ? words(b)[edit.new]?.key : undefined;
    return [edit.kind, ...new Set([old, now])].filter((word) => word !== undefined).join(" ");
  });
}

describe("align", () => {
  it("keeps everything in equal sequences", () => {
    expect(align(words("f1 g1 f1"), words("f1 g1 f1"))).toEqual({
      cost: 0,
      edits: [0, 1, 2].map((index) => ({ kind: "keep", old: index, new: index })),
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

  it("does not confuse a key of one side with the name of another", () => {
    expect(align([{ key: "f", name: "n" }], [{ key: "n", name: "f" }]).cost).toBe(2);
  });

  it("refuses a comparison of more pairs than the limit, saying how large it is", () => {
    const many = (prefix: string, count: number): Keyed[] =>
      Array.from({ length: count }, (_, index) => ({ key: `${prefix}${index}`, name: prefix }));
    const attempt = (): unknown => align(many("f", 20_001), many("g", 20_000));
    expect(attempt).toThrow(CassetteError);
    expect(attempt).toThrow(expect.objectContaining({ code: "diff-too-large" }));
    expect(attempt).toThrow(/20001 against 20000/);
  });

  it("counts only what lies between the first and the last difference against the limit", () => {
    const long = Array.from({ length: 30_000 }, (_, index) => ({ key: `f${index}`, name: "f" }));
    expect(align(long, long.toSpliced(15_000, 1)).cost).toBe(1);
  });
});
