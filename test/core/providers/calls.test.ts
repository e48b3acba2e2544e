import { describe, expect, it } from "vitest";
import { canonicalize } from "../../../src/core/canon/json.js";
import { toArguments, toToolCalls } from "../../../src/core/providers/calls.js";

const idsOf = (ids: unknown[]) =>
  toToolCalls(ids.map((id) => ({ id, name: "t", arguments: {} }))).map((call) => call.id);

describe("ids of tool calls", () => {
  it("keeps the vendor's ids", () => expect(idsOf(["a", "b"])).toEqual(["a", "b"]));

  it("names calls without an id by their position", () => {
    expect(idsOf([undefined, "", null, 7])).toEqual(["call_0", "call_1", "call_2", "call_3"]);
  });

  it("keeps the first of two equal ids and replaces the second", () => {
    expect(idsOf(["a", "a", "a"])).toEqual(["a", "call_1", "call_2"]);
  });

  it("never takes an id that the vendor gave to another call", () => {
    expect(idsOf(["call_1", "", "call_1_"])).toEqual(["call_1", "call_1__", "call_1_"]);
    expect(idsOf(["", "call_0"])).toEqual(["call_0_", "call_0"]);
  });

  it("gives the same ids for the same answer", () => expect(idsOf(["", "x", "x"])).toEqual(idsOf(["", "x", "x"])));
});

describe("arguments of tool calls", () => {
  it.each([
    ['{"id":1234567890123456789}'],
    ['{"a":[{"b":-9007199254740993}]}'],
    ['{"x":0.123456789012345678901}'],
    ['{"a":1,"a":2}'],
    ['{"a":{"b":1,"\\u0062":2}}'],
  ])("keeps %s, of which JSON.parse drops something, as the text it was", (text) =>
    expect(toArguments(text)).toEqual({ arguments: {}, malformedArguments: text }),
  );

  it.each([
    ['{"id":9007199254740992,"b":1e21}', { id: 9007199254740992, b: 1e21 }],
    ['{"x":0.10000000000000001,"y":1.0,"z":-0.5e-3}', { x: 0.1, y: 1, z: -0.0005 }],
    ['{"a":"1234567890123456789 \\" {","b":{"a":1}}', { a: '1234567890123456789 " {', b: { a: 1 } }],
  ])("reads the numbers of %s", (text, value) => expect(toArguments(text)).toEqual({ arguments: value }));

  it.each([[""], ["  "], ["null"], [null], [undefined], ["{}"], [{}]])("reads %j as no arguments", (value) => {
    expect(toArguments(value)).toEqual({ arguments: {} });
  });

  it("reads JSON text and an object alike", () => {
    expect(toArguments('{"a":[1,null,true,"x"]}')).toEqual({ arguments: { a: [1, null, true, "x"] } });
    expect(toArguments({ a: [1, null, true, "x"] })).toEqual({ arguments: { a: [1, null, true, "x"] } });
  });

  it.each([["{"], ['{"a":1}{"b":2}'], ["[1]"], ['"text"'], ["5"], ["true"], ["call me"]])(
    "keeps %j, which is not an object, as the text it was",
    (text) => expect(toArguments(text)).toEqual({ arguments: {}, malformedArguments: text }),
  );

  it("keeps a value that is neither object nor text as its JSON", () => {
    expect(toArguments([1])).toEqual({ arguments: {}, malformedArguments: "[1]" });
    expect(toArguments(false)).toEqual({ arguments: {}, malformedArguments: "false" });
  });

  it("keeps a number that no JSON can hold as text", () => {
    expect(toArguments('{"a":1e999}')).toEqual({ arguments: {}, malformedArguments: '{"a":1e999}' });
  });

  it("replaces lone surrogates in keys, values and malformed text, so that the call can be recorded", () => {
    const read = toArguments('{"a\\ud800":["b\\udc00"]}');
    expect(read).toEqual({ arguments: { "a\ufffd": ["b\ufffd"] } });
    expect(() => canonicalize(read)).not.toThrow();
    expect(toArguments("\ud800{").malformedArguments).toBe("\ufffd{");
  });

  it("keeps a __proto__ key as data", () => {
    const { arguments: read } = toArguments('{"__proto__":{"admin":true}}');
    expect(Object.hasOwn(read, "__proto__")).toBe(true);
    expect((read as { admin?: boolean }).admin).toBeUndefined();
  });

  it("reads a hundred levels of nesting and keeps a deeper text as text", () => {
    const nested = (levels: number) => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
    expect(toArguments(nested(100)).malformedArguments).toBeUndefined();
    expect(toArguments(nested(101)).malformedArguments).toBe(nested(101));
    expect(toArguments(nested(100_000)).malformedArguments).toBe(nested(100_000));
  });

  it("survives an object too deep to be written out again", () => {
    let value: unknown = 1;
    for (let level = 0; level < 200_000; level++) value = { a: value };
    expect(toArguments(value)).toEqual({ arguments: {}, malformedArguments: "[nested too deep to be written out]" });
  });
});
