// Optional fields of an object literal.

import { describe, expect, it } from "vitest";
import { defined } from "../../src/core/defined.js";

describe("defined", () => {
  it("leaves out undefined fields alone, and keeps the order", () => {
    const fields = defined({ b: 1, gone: undefined, a: null, empty: "", no: false });
    expect(Object.entries(fields)).toEqual([
      ["b", 1],
      ["a", null],
      ["empty", ""],
      ["no", false],
    ]);
    expect("gone" in fields).toBe(false);
  });
});
