import { describe, expect, it } from "vitest";
import { MAX_RESULT_CHARACTERS } from "../../../src/core/limits.js";
import { toResultText } from "../../../src/core/tools/result.js";

const text = (value: unknown) => toResultText(value).text;

describe("toResultText", () => {
  it("gives a string as it is and everything else as JSON", () => {
    expect(text("as is")).toBe("as is");
    expect(text("")).toBe("");
    expect(text({ a: [1, "x", null, true] })).toBe('{"a":[1,"x",null,true]}');
    expect(text(7)).toBe("7");
    expect(text(new Date(0))).toBe('"1970-01-01T00:00:00.000Z"');
  });

  it("PLK-60 writes a BigInt as a string, at any depth", () => {
    expect(text({ a: [12345678901234567890n] })).toBe('{"a":["12345678901234567890"]}');
    expect(text(1n)).toBe('"1"');
  });

  it('PLK-60 writes "[Circular]" where a value contains itself', () => {
    const node: Record<string, unknown> = { name: "n" };
    node["self"] = node;
    node["list"] = [{ up: node }];
    expect(text(node)).toBe('{"name":"n","self":"[Circular]","list":[{"up":"[Circular]"}]}');
    const list: unknown[] = [];
    list.push(list, [list]);
    expect(text(list)).toBe('["[Circular]",["[Circular]"]]');
  });

  it("PLK-60 writes one object that is referenced twice in full, both times", () => {
    const shared = { x: [1] };
    expect(text({ a: shared, b: [shared, shared], c: { d: shared } })).toBe(
      '{"a":{"x":[1]},"b":[{"x":[1]},{"x":[1]}],"c":{"d":{"x":[1]}}}',
    );
  });

  it("PLK-60 writes a shared object in full next to what JSON itself cannot write", () => {
    const shared = { x: [1] };
    const loop: Record<string, unknown> = {};
    loop["me"] = loop;
    expect(text({ n: 1n, a: shared, b: [shared, shared], c: { d: shared } })).toBe(
      '{"n":"1","a":{"x":[1]},"b":[{"x":[1]},{"x":[1]}],"c":{"d":{"x":[1]}}}',
    );
    expect(text({ a: shared, loop, b: shared })).toBe('{"a":{"x":[1]},"loop":{"me":"[Circular]"},"b":{"x":[1]}}');
  });

  it("PLK-60 drops functions and symbols", () => {
    expect(text({ f: () => 1, s: Symbol("s"), [Symbol("k")]: 1, kept: 1 })).toBe('{"kept":1}');
    expect(text([() => 1, Symbol("s")])).toBe("[null,null]");
    expect(text(() => 1)).toBe("null");
    expect(text(Symbol("s"))).toBe("null");
  });

  it("PLK-60 allows null and undefined", () => {
    expect(text(null)).toBe("null");
    expect(text(undefined)).toBe("null");
    expect(text({ a: undefined, b: null })).toBe('{"b":null}');
  });

  it("writes what toJSON gives, cycles in it included", () => {
    const inner: Record<string, unknown> = {};
    inner["me"] = inner;
    expect(text({ toJSON: () => inner })).toBe('{"me":"[Circular]"}');
  });

  it("replaces lone surrogates, so that the text can be hashed", () => {
    expect(text("a\ud800b")).toBe("a\ufffdb");
    expect(text({ a: "\udc00" }).isWellFormed()).toBe(true);
  });

  it("keeps a text of exactly the limit and says how much of a longer one it cut", () => {
    expect(toResultText("x".repeat(MAX_RESULT_CHARACTERS))).toEqual({
      text: "x".repeat(MAX_RESULT_CHARACTERS),
      cut: 0,
    });
    const { text: short, cut } = toResultText("x".repeat(MAX_RESULT_CHARACTERS + 5));
    expect(cut).toBe(5);
    expect(short).toBe(`${"x".repeat(MAX_RESULT_CHARACTERS)}\n[… 5 more characters were cut off]`);
  });

  it("does not cut a surrogate pair into something that cannot be hashed", () => {
    expect(toResultText("ab😀cd", 3).text.isWellFormed()).toBe(true);
  });
});
