import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffValues, firstDifference, likenessOf } from "../../../src/cassette/prompt/json-difference.js";
import type { JsonValue } from "../../../src/core/index.js";

describe("diffValues", () => {
  it("is empty for equal values, whatever the order of their keys", () => {
    expect(diffValues({ a: [1, { b: null }], c: "x" }, { c: "x", a: [1, { b: null }] })).toEqual([]);
  });

  it("names every differing place, keys in sorted order", () => {
    expect(diffValues({ z: 1, b: [1, 2], gone: true }, { b: [1, 3, 4], z: "1", fresh: null })).toEqual([
      { pointer: "/b/1", old: 2, new: 3 },
      { pointer: "/b/2", new: 4 },
      { pointer: "/fresh", new: null },
      { pointer: "/gone", old: true },
      { pointer: "/z", old: 1, new: "1" },
    ]);
  });

  it("gives a place that is not on one side no key for it", () => {
    expect(Object.keys(diffValues({}, { a: null })[0] ?? {})).toEqual(["pointer", "new"]);
    expect(Object.keys(diffValues({ a: null }, {})[0] ?? {})).toEqual(["pointer", "old"]);
  });

  it("escapes ~ and / in pointers (RFC 6901 §3)", () => {
    expect(diffValues({ "a/b": { "~": 1 } }, { "a/b": { "~": 2 } })).toEqual([{ pointer: "/a~1b/~0", old: 1, new: 2 }]);
  });

  it.each<[JsonValue, JsonValue]>([
    [{}, []],
    [null, {}],
    [[], "[]"],
    [0, false],
    ["", null],
  ])("takes values of different types as different wholes: %j and %j", (a, b) => {
    expect(diffValues(a, b)).toEqual([{ pointer: "", old: a, new: b }]);
  });

  it("takes -0 for 0", () => {
    expect(diffValues({ n: -0 }, { n: 0 })).toEqual([]);
  });

  it("treats __proto__ and names of Object.prototype as keys", () => {
    const withProto = JSON.parse('{"__proto__":{"x":1}}') as JsonValue;
    expect(diffValues(withProto, {})).toEqual([{ pointer: "/__proto__", old: { x: 1 } }]);
    expect(diffValues(withProto, JSON.parse('{"__proto__":{"x":2}}') as JsonValue)).toEqual([
      { pointer: "/__proto__/x", old: 1, new: 2 },
    ]);
    expect(diffValues({}, { toString: 1 })).toEqual([{ pointer: "/toString", new: 1 }]);
  });

  it("takes a key whose value is undefined as absent", () => {
    expect(diffValues({ a: undefined } as unknown as JsonValue, {})).toEqual([]);
  });
});

describe("firstDifference", () => {
  it("gives the first of all differences", () => {
    expect(firstDifference({ a: 1, b: [1, 2] }, { a: 1, b: [3, 4], c: 0 })).toEqual({
      pointer: "/b/0",
      old: 1,
      new: 3,
    });
  });

  it("looks at nothing after it", () => {
    const trap = {
      a: 1,
      get b(): number {
        throw new Error("looked");
      },
    };
    expect(firstDifference(trap, { a: 2, b: 2 })).toEqual({ pointer: "/a", old: 1, new: 2 });
    expect(() => diffValues(trap, { a: 2, b: 2 })).toThrow("looked");
  });

  it("gives nothing for equal values", () => {
    expect(firstDifference([{ a: 1 }], [{ a: 1 }])).toBeUndefined();
  });
});

describe("likenessOf", () => {
  it("is 1 for equal values, less for others, the same both ways", () => {
    expect(likenessOf("What is the capital of France?", "What is the capital of Spain?")).toBeGreaterThan(
      likenessOf("Tell me a joke", "What is the capital of Spain?"),
    );
    expect(likenessOf(undefined, "a")).toBe(0);
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(likenessOf(a, b)).toBe(likenessOf(b, a));
        expect(likenessOf(a, b) === 1).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });
});
