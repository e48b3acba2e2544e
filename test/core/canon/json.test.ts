import { canonicalize as jcs } from "json-canonicalize";
import { describe, expect, it } from "vitest";
import { canonicalize } from "../../../src/core/canon/json.js";
import { NotJsonError } from "../../../src/core/canon/value.js";
import { nested, nestedObjects, NOT_JSON } from "../../support/not-json.js";
import { refusal } from "../../support/refusal.js";

describe("canonicalize", () => {
  it("writes each kind of plain JSON without white space", () => {
    expect(canonicalize({ b: [1, "two", null, true, false], a: {} })).toBe('{"a":{},"b":[1,"two",null,true,false]}');
  });

  it("sorts keys by UTF-16 code units, not by code points", () => {
    // RFC 8785 §3.2.3: the emoji starts with the unit D83D and so comes before U+FB33.
    expect(canonicalize({ "\ufb33": 1, "\u{1f600}": 2, "\u20ac": 3, "1": 4, "\r": 5 })).toBe(
      '{"\\r":5,"1":4,"\u20ac":3,"\u{1f600}":2,"\ufb33":1}',
    );
  });

  it("sorts integer-like keys as text", () => {
    expect(canonicalize({ 10: "b", 9: "c", 1: "a" })).toBe('{"1":"a","10":"b","9":"c"}');
  });

  it("escapes only what RFC 8785 section 3.2.2.2 escapes", () => {
    expect(canonicalize('\u0000\b\t\n\f\r\u001f"\\/\u007f\u2028\u2029é')).toBe(
      '"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\/\u007f\u2028\u2029é"',
    );
  });

  it("writes minus zero as zero", () => {
    expect(canonicalize([-0, 0])).toBe("[0,0]");
  });

  it("writes 128 containers in each other and refuses the 129th", () => {
    expect(canonicalize(nested(128))).toBe("[".repeat(128) + "1" + "]".repeat(128));
    expect(canonicalize(nestedObjects(128))).toBe('{"a":'.repeat(128) + "1" + "}".repeat(128));
    expect(refusal(() => canonicalize(nested(129)))).toMatchObject({ reason: "depth" });
  });

  it("counts an empty container as a level", () => {
    expect(refusal(() => canonicalize(nestedAround([], 128)))).toMatchObject({ reason: "depth" });
    expect(canonicalize(nestedAround([], 127))).toHaveLength(256);
  });

  it("treats a toJSON key as data, where the oracle does not sort the object", () => {
    const value = { z: 1, toJSON: "data", a: 2 };
    expect(canonicalize(value)).toBe('{"a":2,"toJSON":"data","z":1}');
    expect(jcs(value)).not.toBe(canonicalize(value));
  });

  it("refuses a toJSON method instead of calling it", () => {
    expect(refusal(() => canonicalize({ toJSON: () => "called" }))).toMatchObject({
      reason: "function",
      pointer: "/toJSON",
    });
  });

  it("writes one object referenced twice, where the oracle sees a cycle", () => {
    const shared = { x: 1 };
    const value = { a: shared, ab: shared };
    expect(canonicalize(value)).toBe('{"a":{"x":1},"ab":{"x":1}}');
    expect(() => jcs(value)).toThrow("Circular");
  });

  it("writes an own __proto__ key as data", () => {
    expect(canonicalize(JSON.parse('{"b":1,"__proto__":{"x":[]}}'))).toBe('{"__proto__":{"x":[]},"b":1}');
  });

  it("writes an object without prototype like any other", () => {
    expect(canonicalize(Object.assign(Object.create(null) as object, { b: 1, a: 2 }))).toBe('{"a":2,"b":1}');
  });

  it("refuses an undefined property, which the copier would leave out", () => {
    expect(refusal(() => canonicalize({ a: { b: undefined } }))).toMatchObject({
      reason: "undefined",
      pointer: "/a/b",
    });
  });

  it.each(NOT_JSON)("refuses $name", ({ make, reason, pointer }) => {
    const error = refusal(() => canonicalize(make()));
    expect(error).toBeInstanceOf(NotJsonError);
    expect(error).toMatchObject({ code: "not-json", reason, pointer });
  });
});

function nestedAround(value: unknown, containers: number): unknown {
  for (let level = 0; level < containers; level++) value = [value];
  return value;
}
