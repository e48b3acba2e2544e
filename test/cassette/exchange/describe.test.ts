import { describe, expect, it } from "vitest";
import { nameOf, sizeOf } from "../../../src/cassette/exchange/describe.js";

describe("sizeOf", () => {
  it("counts bytes", () => {
    expect(sizeOf(undefined)).toBe(0);
    expect(sizeOf({ json: { a: "ä" } })).toBe(10);
    expect(sizeOf({ text: "ä" })).toBe(2);
    expect(sizeOf({ base64: "YWJj" })).toBe(3);
    expect(sizeOf({ sha256: "", bytes: 7 })).toBe(7);
    expect(sizeOf({ parts: [{ text: "ab" }, { sha256: "", bytes: 3 }] })).toBe(5);
  });
});

it("nameOf is safe to print", () => {
  expect(nameOf({ method: "GET", path: "/a\u202eb" })).not.toContain("\u202e");
});
