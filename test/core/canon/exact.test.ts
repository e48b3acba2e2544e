import { describe, expect, it } from "vitest";
import { findDropped, findDroppedArgument, sameDecimal } from "../../../src/core/canon/exact.js";

describe("findDropped", () => {
  it.each([
    ['{"a":9007199254740993}', "9007199254740993"],
    ["[1e400]", "1e400"],
    ["[0.1234567890123456789]", "0.1234567890123456789"],
    ['{"a":{"b":1},"a":2}', '"a"'],
  ])("names what parsing %s drops", (text, dropped) => expect(findDropped(text)).toBe(dropped));

  it.each(['{"a":{"a":1},"b":[{"a":1},{"a":2}]}', "[9007199254740992, 0.30000000000000004, 1.50e2, -0]", '["a","a"]'])(
    "has nothing to say about %s",
    (text) => expect(findDropped(text)).toBeUndefined(),
  );
});

describe("findDroppedArgument", () => {
  it("looks at arguments and the seed, and at nothing else of a body", () => {
    const long = "1234567890123456789";
    expect(findDroppedArgument(`{"content":[{"input":{"a":[{"id":${long}}]}}]}`)).toBe(long);
    expect(findDroppedArgument(`{"functionCall":{"name":"f","args":{"id":${long}}}}`)).toBe(long);
    expect(findDroppedArgument(`{"seed":${long}}`)).toBe(long);
    expect(findDroppedArgument(`{"created":${long},"text":"\\"input\\":${long}"}`)).toBeUndefined();
  });
});

it("sameDecimal compares values, not spellings", () => {
  expect(sameDecimal("1.50e1", "15")).toBe(true);
  expect(sameDecimal("9007199254740993", "9007199254740992")).toBe(false);
});
