import { expect, it } from "vitest";
import { plural } from "../../../src/core/text/plural.js";

it("names one thing in the singular, and any other number in the plural", () => {
  expect([0, 1, 2].map((count) => plural(count, "turn"))).toEqual(["0 turns", "1 turn", "2 turns"]);
  expect([1, 2].map((count) => plural(count, "branch", "branches"))).toEqual(["1 branch", "2 branches"]);
});
