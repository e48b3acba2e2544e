import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findTooDeep, parseBoundedJson } from "../../../src/core/canon/bounded-json.js";

describe("findTooDeep", () => {
  it("counts open containers, and names where the first one too many opens", () => {
    expect(findTooDeep("[[1]]", 2)).toBeUndefined();
    expect(findTooDeep("[[1]]", 1)).toBe(1);
    expect(findTooDeep('{"a":[{"b":1}]}', 2)).toBe(6);
    expect(findTooDeep("1", 0)).toBeUndefined();
    expect(findTooDeep("", 0)).toBeUndefined();
  });

  it("counts containers inside each other, not next to each other", () => {
    expect(findTooDeep(`[${"[],".repeat(1_000)}{}]`, 2)).toBeUndefined();
  });

  it("skips strings with all their escapes", () => {
    expect(findTooDeep(String.raw`["[[[{{{", "\"[[", "\\", "\\\"[["]`, 1)).toBeUndefined();
    expect(findTooDeep(String.raw`["\\",[1]]`, 1)).toBe(6);
  });

  it("takes text that is not JSON", () => {
    for (const text of ['"', '"\\', "]]]]", '"[[', "[", "\\["]) expect(findTooDeep(text, 1)).toBeUndefined();
  });

  it("finds ten million open brackets, and reads ten million closed ones in one pass", () => {
    expect(findTooDeep("[".repeat(1e7), 128)).toBe(128);
    expect(findTooDeep("[]".repeat(5e6), 128)).toBeUndefined();
  });

  it("agrees with the depth of what JSON.parse gives", () => {
    const depthOf = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.nat(9), (text, limit) => {
        const depth = depthOf(JSON.parse(text));
        expect(findTooDeep(text, limit) === undefined).toBe(depth <= limit);
      }),
    );
  });
});

describe("parseBoundedJson", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

  it("parses like JSON.parse up to the depth of plain JSON", () => {
    expect(parseBoundedJson('{"a":[1,"[[["]}')).toEqual({ a: [1, "[[["] });
    expect(parseBoundedJson(nested(128))).toEqual(JSON.parse(nested(128)));
  });

  it("refuses deeper nesting, whole or cut short, as it does what is not JSON", () => {
    for (const text of [nested(129), "[".repeat(1_000_000), "{"]) {
      expect(() => parseBoundedJson(text)).toThrow(SyntaxError);
    }
  });
});
