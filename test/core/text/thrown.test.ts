import { describe, expect, it } from "vitest";
import { thrownText } from "../../../src/core/text/thrown.js";

const trap = () => {
  throw new Error("trap");
};

describe("thrownText", () => {
  it("is the message of an error and the text of everything else", () => {
    expect(thrownText(new TypeError("boom"))).toBe("boom");
    expect(thrownText(Object.assign(Object.create(null) as object, { message: "boom" }))).toBe("boom");
    expect(thrownText("words")).toBe("words");
    expect(thrownText(undefined)).toBe("undefined");
    expect(thrownText(Symbol("s"))).toBe("Symbol(s)");
  });

  it.each<[string, unknown]>([
    ["an error whose message throws", Object.defineProperty(new Error(), "message", { get: trap })],
    ["a proxy that refuses to tell its prototype", new Proxy({}, { getPrototypeOf: trap, get: trap })],
    ["an object without prototype", Object.create(null)],
    ["an object whose toString gives an object", { toString: () => ({}), valueOf: () => ({}) }],
    ["an error whose message is an object without text", Object.assign(new Error(), { message: Object.create(null) })],
  ])("does not throw for %s", (_name, thrown) => {
    expect(thrownText(thrown)).toBe("something that has no text was thrown");
  });
});
