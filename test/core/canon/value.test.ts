import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { AgentError } from "../../../src/core/errors.js";
import { isPlainObject, NotJsonError, setOwn, type JsonValue } from "../../../src/core/canon/value.js";
import { toPointer } from "../../../src/core/canon/pointer.js";

describe("isPlainObject", () => {
  it.each([
    ["an object literal", {}],
    ["an object without prototype", Object.create(null) as unknown],
    ["an object of another realm", runInNewContext("({ a: 1 })") as unknown],
    ["parsed JSON with a __proto__ key", JSON.parse('{"__proto__":null}') as unknown],
  ])("says yes to %s", (_name, value) => {
    expect(isPlainObject(value)).toBe(true);
  });

  it.each([
    ["null", null],
    ["an array", []],
    ["an array of another realm", runInNewContext("[]") as unknown],
    ["a Date", new Date(0)],
    ["a Date of another realm", runInNewContext("new Date(0)") as unknown],
    ["a Map", new Map()],
    ["a class instance", new (class Box {})()],
    ["a function", () => undefined],
    ["a string", "text"],
    ["a boxed string", Object("text") as unknown],
    ["an object that inherits from a literal", Object.create({}) as unknown],
  ])("says no to %s", (_name, value) => {
    expect(isPlainObject(value)).toBe(false);
  });
});

describe("toPointer", () => {
  it("escapes as RFC 6901 section 3 asks, the tilde first", () => {
    expect(toPointer([])).toBe("");
    expect(toPointer(["a/b", "m~n", 0, "", "~1"])).toBe("/a~1b/m~0n/0//~01");
  });
});

describe("setOwn", () => {
  it("sets __proto__ as an ordinary own key", () => {
    const object: Record<string, JsonValue> = {};
    setOwn(object, "__proto__", { x: 1 });
    setOwn(object, "a", 2);
    expect(JSON.stringify(object)).toBe('{"__proto__":{"x":1},"a":2}');
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    delete object["__proto__"];
    expect(Object.keys(object)).toEqual(["a"]);
  });
});

describe("NotJsonError", () => {
  it("is an AgentError that says what and where", () => {
    const error = new NotJsonError("bigint", "/a/0");
    expect(error).toBeInstanceOf(AgentError);
    expect(error).toMatchObject({ name: "NotJsonError", code: "not-json", retryable: false });
    expect(error.message).toBe("a BigInt at /a/0 is not plain JSON");
    expect(error.hint).toBeTruthy();
  });

  it("calls the root the top", () => {
    expect(new NotJsonError("cycle", "").message).toBe("a cycle at the top is not plain JSON");
  });
});
