import { expect, it } from "vitest";
import { showValue } from "../../../src/core/text/show.js";

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
