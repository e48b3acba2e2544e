// The agreement of repeated grades.

import { expect, it } from "vitest";
import { agreementOf, agreementText } from "../../../src/harness/scores/agreement.js";

it("gives Krippendorff's result for his worked example with intervals", () => {
  // K. Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011, section D: twelve units, four observers, missing values.
  const units = [
    [1, 1, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [5, 5, 5],
    [1, 1],
    [3],
  ];
  const agreement = agreementOf(units);
  expect(agreement).toMatchObject({ answers: 11, grades: 40 });
  expect(agreement?.alpha).toBeCloseTo(0.849, 3);
});

it("counts equal pairs, each answer with the same weight", () => {
  expect(
    agreementOf([
      [4, 4],
      [1, 2, 1, 1],
    ])?.same,
  ).toBe(0.75);
});

it("has no alpha if all grades are equal, and nothing to say without repetitions", () => {
  expect(
    agreementOf([
      [2, 2],
      [2, 2],
    ]),
  ).toEqual({ answers: 2, grades: 4, same: 1 });
  expect(agreementOf([[2], [3], []])).toBeUndefined();
  expect(agreementText({ answers: 1, grades: 3, same: 1 / 3, alpha: -0.5 })).toBe(
    "repeated grades of 1 answer are equal in 33.3% of pairs, Krippendorff's alpha -0.5",
  );
});
