import { expect, it } from "vitest";
import { wilsonInterval } from "../../../../src/harness/drift/statistics/normal.js";

it("gives the interval of Newcombe 1998, table I: 81 of 263 and 0 of 20", () => {
  const { low, high } = wilsonInterval(81 / 263, 263, 0.95);
  expect([low, high].map((x) => x.toFixed(4))).toEqual(["0.2553", "0.3662"]);
  const none = wilsonInterval(0, 20, 0.95);
  expect([none.low.toFixed(4), none.high.toFixed(4)]).toEqual(["0.0000", "0.1611"]);
});
