import { expect, it } from "vitest";
import { plural, shorten, showValue } from "../../../src/core/text/show.js";

it.each<[shown: string, value: unknown]>([
  ['"5"', "5"],
  ['"a\\nb"', "a\nb"],
  ['"pay\\u200bpal"', "pay\u200bpal"],
  [`"${"x".repeat(60)}…"`, "x".repeat(100)],
  ["5", 5],
  ["NaN", Number.NaN],
  ["10", 10n],
  ["null", null],
  ["undefined", undefined],
  ["false", false],
  ["a function", () => 1],
  ["a symbol", Symbol("s")],
  ["a list", [1]],
  ["an object", Object.create(null)],
])("a wrong value is shown as %s", (shown, value) => {
  expect(showValue(value)).toBe(shown);
});

it("names one thing in the singular, and any other number in the plural", () => {
  expect([0, 1, 2].map((count) => plural(count, "turn"))).toEqual(["0 turns", "1 turn", "2 turns"]);
  expect([1, 2].map((count) => plural(count, "branch", "branches"))).toEqual(["1 branch", "2 branches"]);
});

it.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "abc…"],
  ["ab\u{1f600}", 3, "ab\ufffd…"],
  ["", 0, ""],
])("cuts %j after %i units", (text, most, shown) => {
  expect(shorten(text, most)).toBe(shown);
});
