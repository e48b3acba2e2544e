import { describe, expect, it } from "vitest";
import { parseIgnore } from "../../../src/cassette/diff/ignore.js";
import { CassetteError } from "../../../src/cassette/errors.js";

const pruned = (ignore: string[], value: Parameters<ReturnType<typeof parseIgnore>["prune"]>[1], tool = "send") =>
  parseIgnore(ignore).prune(tool, value);

describe("parseIgnore", () => {
  it("leaves out a place of every tool, or of the named one", () => {
    expect(pruned(["/meta/at"], { meta: { at: 1, by: 2 }, at: 3 })).toEqual({ meta: { by: 2 }, at: 3 });
    expect(pruned(["send:/at"], { at: 1 })).toEqual({});
    expect(pruned(["read:/at"], { at: 1 })).toEqual({ at: 1 });
  });

  it("takes * for any one key or index", () => {
    expect(pruned(["/rows/*/id"], { rows: [{ id: 1, v: 1 }, { id: 2 }], id: 3 })).toEqual({
      rows: [{ v: 1 }, {}],
      id: 3,
    });
    expect(pruned(["/*"], { a: 1, b: { c: 2 } })).toEqual({});
    expect(pruned(["/*/c"], { a: 1, b: { c: 2, d: { c: 3 } } })).toEqual({ a: 1, b: { d: { c: 3 } } });
  });

  it("keeps the index of array elements next to ignored ones, and drops ignored ones at the end", () => {
    expect(pruned(["/list/0"], { list: [1, 2] })).toEqual({ list: [null, 2] });
    expect(pruned(["/list/*"], { list: [1, 2] })).toEqual({ list: [] });
    expect(pruned(["/list/1"], { list: [1, 2] })).toEqual({ list: [1] });
  });

  it("reads the escapes of RFC 6901 §4", () => {
    expect(pruned(["/a~1b", "/~01"], { "a/b": 1, "~1": 2, c: 3 })).toEqual({ c: 3 });
  });

  it("finds the tool before the first :/, colons in its name included", () => {
    expect(pruned(["mcp:mail:/at:/x"], { "at:": { x: 1, y: 2 } }, "mcp:mail")).toEqual({ "at:": { y: 2 } });
    expect(pruned(["/at:/x"], { "at:": { x: 1 } })).toEqual({ "at:": {} });
  });

  it("keeps a __proto__ key as data", () => {
    const value = JSON.parse('{"__proto__":{"x":1},"at":2}') as Record<string, never>;
    expect(JSON.stringify(pruned(["/at"], value))).toBe('{"__proto__":{"x":1}}');
  });

  it("does not change what it was given", () => {
    const value = { a: { at: 1 } };
    pruned(["/a/at"], value);
    expect(value).toEqual({ a: { at: 1 } });
  });

  it.each(["at", "", "send:", "send:at", ":/at", "/a~2", "send:/~"])(
    "refuses the malformed pointer %j with a hint",
    (rule) => {
      const attempt = (): unknown => parseIgnore(["/fine", rule]);
      expect(attempt).toThrow(CassetteError);
      expect(attempt).toThrow(
        expect.objectContaining({ code: "invalid-options", hint: expect.stringContaining("/arg/path") }),
      );
    },
  );

  it("names all malformed pointers in one error", () => {
    expect(() => parseIgnore(["x", "/fine", "y"])).toThrow('["x","y"]');
  });
});
