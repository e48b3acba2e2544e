import { expect, it } from "vitest";
import { shorten } from "../../../src/core/text/shorten.js";

it.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "abc…"],
  ["ab\u{1f600}", 3, "ab\ufffd…"],
  ["", 0, ""],
])("cuts %j after %i units", (text, most, shown) => {
  expect(shorten(text, most)).toBe(shown);
});
